"""The main job: a predator-prey model fitted to a century-old record by its compiled gradient.

``lynx_hare`` is the model and its loss in plain NumPy and loops, ``fit`` runs the job and reports
it, ``picture`` draws it. Importing this package never imports SciPy, Numba or matplotlib.
"""
