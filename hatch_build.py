"""The README as the package index shows it, where links within the repository lead nowhere."""

import re
from pathlib import Path
from typing import Any


def for_index(text: str, home: str, version: str) -> str:
    """A page of this folder whose links and pictures are those of a release's tag."""
    relative = r"\((?!\w+:|#)"
    text = re.sub(rf"(!\[[^]]*\]){relative}", rf"\1({home}/raw/v{version}/", text)
    return re.sub(rf"\]{relative}", f"]({home}/blob/v{version}/", text)


def get_metadata_hook() -> type:
    """The hook by the name under which hatchling looks for it."""
    from hatchling.metadata.plugin.interface import MetadataHookInterface

    class Readme(MetadataHookInterface):
        def update(self, metadata: dict[str, Any]) -> None:
            text = Path(self.root, "README.md").read_text(encoding="utf-8")
            text = for_index(text, metadata["urls"]["Homepage"], metadata["version"])
            metadata["readme"] = {"content-type": "text/markdown", "text": text}

    return Readme
