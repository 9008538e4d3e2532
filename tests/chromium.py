"""Finds the browser of this machine, for tests that look at pages."""

import os
import shutil

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
NAMED = "Chromium (CHROMIUM, or chromium on PATH)"


def chromium_program() -> str | None:
    return os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
