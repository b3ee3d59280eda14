"""Build the site into a folder, for the address in SITE_URL."""

import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

from scripts.tools import BUILD, ROOT

# The address of a site that nobody has deployed yet: `make build` is then a check, and a local copy to look at.
LOCAL = "http://127.0.0.1:8000/"


def environment(site_url: str) -> dict[str, str]:
    """What mkdocs needs to know beside its own settings; its theme is asked to keep its advertisements to itself."""
    return {**os.environ, "SITE_URL": site_url, "NO_MKDOCS_2_WARNING": "1"}


def build_site(target: Path, site_url: str, config: Path = ROOT / "mkdocs.yml") -> None:
    """Build every page, strictly; raise CalledProcessError with mkdocs' own words on standard error."""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-f", config, "--site-dir", target]
    subprocess.run(command, cwd=ROOT, env=environment(site_url), check=True)


def main() -> int:
    """Build into build/site."""
    site_url = os.environ.get("SITE_URL") or LOCAL
    parts = urlsplit(site_url)
    odd = parts.scheme not in ("http", "https") or not parts.netloc or parts.query or parts.fragment or " " in site_url
    if odd:
        print(f"build: SITE_URL must be like https://example.org/lesson/; it is {site_url!r}", file=sys.stderr)
        return 2
    print(f"build: the site for {site_url}", flush=True)
    try:
        build_site(BUILD / "site", site_url)
    except subprocess.CalledProcessError as error:
        return error.returncode
    print("build: done, in build/site", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
