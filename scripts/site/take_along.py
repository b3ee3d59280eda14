"""The whole site as one file to take along: it runs from any static server, under any address.

The same pages give the same bytes: names are sorted, and every date is the first that the format knows.
"""

import re
import zipfile
from pathlib import Path

from . import policy

NAME = "shardscope-site.zip"
FOLDER = "shardscope"
DATE = (1980, 1, 1, 0, 0, 0)
PACKED = {".bin", ".gz", ".png", ".whl", ".woff2", ".zip"}  # packing them again would take time and save nothing
MISSING = "404.html"
# The footer's line about this file, which is not in itself.
INVITATION = re.compile(rb"<p data-take-along>.*?</p>\s*", re.DOTALL)

README = """\
{name}, the whole site. It was built for {address}

It needs a web server, any one that serves files, and nothing from the internet:

    cd {folder}
    python3 -m http.server

and open the address that this prints, http://localhost:8000/ as a rule. To hand it to others, copy the folder's
contents to any place of any web host. Opened as files, the pages show their text and tables, and no live charts.

In-page navigation needs a site that was built for its own address; from elsewhere each page is loaded whole, and
everything works. Code: MIT licence. Text and drawings: CC BY 4.0. Third parties' licences: notices/index.html
"""


def pack(site: Path, *, name: str, address: str, missing: str) -> Path:
    """Write the archive into a built site, of everything else in it; return its path.

    ``missing``: the page for addresses that are not there, which names no address either.
    """
    archive = site / NAME
    archive.unlink(missing_ok=True)
    files = {path.relative_to(site).as_posix(): path.read_bytes() for path in sorted(site.rglob("*")) if path.is_file()}
    for path in files:
        if path.endswith(".html"):
            files[path] = INVITATION.sub(b"", files[path])
    files[MISSING] = policy.stamped(missing, MISSING).encode()
    files["README.txt"] = README.format(name=name, address=address, folder=FOLDER).encode()
    with zipfile.ZipFile(archive, "w") as packed:
        for path, content in files.items():
            entry = zipfile.ZipInfo(f"{FOLDER}/{path}", DATE)
            entry.external_attr = 0o644 << 16
            how = zipfile.ZIP_STORED if Path(path).suffix in PACKED else zipfile.ZIP_DEFLATED
            packed.writestr(entry, content, how, compresslevel=6)
    return archive
