"""The tools that check gradients of users: they pass what is right and find what is wrong."""
