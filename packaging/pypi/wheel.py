#!/usr/bin/env python3
"""Packs the terminal program as a wheel, so that `uvx retrace` and `pipx run retrace` start it.

    packaging/pypi/wheel.py PROGRAM SHARE OUTPUT

A wheel of one program is an archive with a list of its files (PEP 427): what a build backend would add here is a second compilation.
PYPI_NAME renames it. The platform is this machine's; where it is Linux, the oldest C library that the program runs with is read from
the versions of symbols it asks for.
"""

import base64
import hashlib
import os
import re
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# The same input gives the same wheel.
TIME = (1980, 1, 1, 0, 0, 0)


def platform_tag(program: Path) -> str:
    tag = re.sub(r"[-.]", "_", sysconfig.get_platform())
    if not tag.startswith("linux_"):
        return tag
    symbols = subprocess.run(["objdump", "-T", program], check=True, capture_output=True, text=True).stdout
    needed = {tuple(map(int, found.split("."))) for found in re.findall(r"\bGLIBC_(\d+\.\d+)", symbols)}
    if not needed:
        raise SystemExit(f"{program}: no symbol of glibc, so no platform of PyPI is known for it")
    major, minor = max(needed)
    return f"manylinux_{major}_{minor}_{tag.removeprefix('linux_')}"


def metadata(name: str, version: str) -> str:
    description = (ROOT / "packaging/npm/README.md").read_text().replace("npx retrace", "uvx retrace")
    return "\n".join([
        "Metadata-Version: 2.4",
        f"Name: {name}",
        f"Version: {version}",
        "Summary: See, put back and take out what agents remember",
        "License-Expression: Apache-2.0 OR MIT",
        *(f"License-File: {file.name}" for file in licences()),
        "Keywords: agents,memory,history,redaction",
        "Requires-Python: >=3.8",
        "Description-Content-Type: text/markdown",
        "",
        description,
    ])


def licences() -> list[Path]:
    names = ["LICENSE-APACHE", "LICENSE-MIT", "NOTICE", "crates/retrace-tokens/data/LICENSE-ctok"]
    return [ROOT / name for name in names]


def main() -> None:
    program, share, output = (Path(argument) for argument in sys.argv[1:4])
    name = os.environ.get("PYPI_NAME", "retrace")
    said = subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout
    version = said.split()[1]
    tag = f"py3-none-{platform_tag(program)}"
    stem = f"{name.replace('-', '_')}-{version}"
    files = {f"{stem}.data/scripts/{program.name}": (program.read_bytes(), 0o755)}
    for file in sorted(share.rglob("*")):
        if file.is_file():
            files[f"{stem}.data/data/share/{file.relative_to(share).as_posix()}"] = (file.read_bytes(), 0o644)
    for file in licences():
        files[f"{stem}.dist-info/licenses/{file.name}"] = (file.read_bytes(), 0o644)
    wheel = f"Wheel-Version: 1.0\nGenerator: retrace\nRoot-Is-Purelib: false\nTag: {tag}\n"
    files[f"{stem}.dist-info/WHEEL"] = (wheel.encode(), 0o644)
    files[f"{stem}.dist-info/METADATA"] = (metadata(name, version).encode(), 0o644)

    output.mkdir(parents=True, exist_ok=True)
    path = output / f"{stem}-{tag}.whl"
    record = ""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        def add(place: str, content: bytes, mode: int) -> None:
            entry = zipfile.ZipInfo(place, TIME)
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)

        for place, (content, mode) in files.items():
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record += f"{place},sha256={digest},{len(content)}\n"
            add(place, content, mode)
        place = f"{stem}.dist-info/RECORD"
        add(place, f"{record}{place},,\n".encode(), 0o644)
    print(f"{path.stat().st_size} {path}")


main()
