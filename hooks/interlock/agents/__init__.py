"""One adapter per client of coding agents; see the README of the package.

An adapter is a class of data (`adapter.py`): how its client names events,
fields and tools, the one form in which it takes an answer, and what it reads
and sets. `registered.py` lists them. Nothing outside of this package knows the
name of a client.
"""
