"""A client starts this as `python -I -S launcher.py CLIENT EVENT`.

Python compiles a script each time it starts, so this one only finds the
package, by its own path, and the module that loads the others. A normal import
would list three folders to find that module.
"""

import gc
import os
import sys

# the same as in `importlib.util`, without its imports
from _frozen_importlib import ModuleSpec, module_from_spec
from _frozen_importlib_external import SourceFileLoader

NAME = 'interlock.files.module_cache'


def launch(package: str, arguments: list[str]) -> None:
    # a process this short never needs to free memory
    gc.disable()
    loader = SourceFileLoader(NAME, os.path.join(package, 'files', 'module_cache.py'))
    spec = ModuleSpec(NAME, loader, origin=loader.path)
    spec.has_location = True
    module_cache = sys.modules[NAME] = module_from_spec(spec)
    loader.exec_module(module_cache)
    module_cache.use('answers', 'interlock.agents.respond')
    from interlock.agents.respond import start

    start(arguments)


if __name__ == '__main__':
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    sys.path.insert(0, os.path.dirname(package))
    launch(package, sys.argv[1:])
