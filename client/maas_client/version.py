"""The client's version, which is defined only here."""

VERSION = "0.1.0"
