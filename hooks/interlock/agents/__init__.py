"""One adapter per client of coding agents; see the README of the package.

An adapter is a class of data (`adapter.py`): the client's names of events,
fields and tools, the one form of answer that it accepts, and the files and
variables that it reads and sets. `all_adapters.py` lists the adapters. Nothing
outside this package knows the name of a client.
"""
