"""Commands of an ordinary day, in a project whose files are protected.

None of them changes a record, a contract or what calls us, and none of them
leaves the hooks out, however much it looks like it.
"""

from __future__ import annotations

BUILDS = """\
make
make -j$(nproc) all
make test 2>&1 | tail -40
make clean && make
make install PREFIX=$HOME/.local
make lint CFLAGS="-O2 -Wall"
make test ARGS='-n 4'
make -C build VERBOSE=1
cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release
cmake --build build --target Bravo_VST3 --config Release
ninja -C build
ctest --test-dir build --output-on-failure
cargo build --release
cargo test --all -- --nocapture
cargo publish --no-verify --dry-run
cargo fmt
go build ./... && go test ./...
./gradlew build -x test
mvn -q -DskipTests package
mvn -B verify
python setup.py sdist bdist_wheel
python3 -m build
python3 -m venv .venv && . .venv/bin/activate && pip install -r a.txt
pip install -e '.[dev]' --no-cache-dir
pip uninstall -y pre-commit
uv pip install ruff
uv run pytest -q
uv sync --frozen
poetry install --no-root
poetry run pytest -x
tox -e py311
nox -s tests
npm ci
npm install --no-audit --no-fund
npm run build && npm test
npm run build -- --no-verify
npm run lint -- --fix
npm version patch
npm publish --dry-run
notify 'never use --no-verify'
npx tsc --noEmit
npx jest --runInBand --coverage
npx vitest run
npx playwright test --reporter=line
npx eslint . --ext .ts,.tsx --fix
npx prettier --check .
npx prettier --check PLUGINS.md 'plugins/**/*.md'
npx prettier --write src/index.ts 'src/**/*.{ts,tsx}'
npx prettier --write docs/guide.md
npx markdownlint '**/*.md'
npx markdownlint --fix docs/guide.md README.md
npx markdownlint-cli2 PLUGINS.md
npx --yes cspell PLUGINS.md README.md
pnpm install --frozen-lockfile
pnpm -r build
pnpm exec tsc -p .
yarn install --immutable
yarn build
yarn workspace web test
bun install && bun test
docker build -t app:dev --no-cache .
docker run --rm -v "$PWD":/w -w /w node:20 npm test
docker compose up -d && docker compose logs --tail=50
docker ps -a --format '{{.Names}}'
docker exec -it web sh -c 'ls /app'
docker system prune -f
kubectl get pods -o wide
terraform plan -out=/tmp/plan
helm upgrade --install web ./chart --dry-run
auval -v aufx Brvo Test
pluginval --strictness-level 5 build/Bravo.vst3
black src tests
black --check .
git diff --name-only | xargs black
git ls-files '*.py' | xargs black
npx eslint --fix $(git diff --name-only -- '*.ts')
git diff --name-only -- '*.ts' | xargs npx prettier --write
npx prettier --write $(git ls-files 'src/*.ts')
black .
ruff check .
ruff check --fix src
ruff format .
isort .
mypy --strict src
clang-format -i plugins/Bravo/Source/*.cpp
clang-format --dry-run -Werror plugins/Bravo/Source/a.cpp
shellcheck scripts/*.sh
shfmt -w scripts
gofmt -w main.go
dos2unix scripts/run.sh
codespell PLUGINS.md docs
vale docs PLUGINS.md
pytest -q -k "not slow" -n 2
python -m pytest tests/test_registry.py::test_row -q
python3 -m http.server 8000 &
time make -s test
timeout 60 make test || echo failed
nohup ./run.sh > /tmp/run.log 2>&1 &
bash scripts/build.sh Release
./scripts/build.sh --clean
sh -c 'make && make test'
"""

READS = """\
ls -la
ls plugins/*/.ideas
tree -L 2 plugins
cat PLUGINS.md
cat PLUGINS.md | head -20
cat plugins/Bravo/.continue-here.md
head -n 30 plugins/Bravo/.ideas/architecture.md
tail -5 PLUGINS.md
sed -n '1,40p' PLUGINS.md
sed -n '/Bravo/,/^###/p' PLUGINS.md
sed 's/Stage 2/Stage 3/' PLUGINS.md | diff PLUGINS.md -
awk -F'|' '/Bravo/ {print $3}' PLUGINS.md
awk '/^---$/ {n++} n==1' plugins/Bravo/.continue-here.md
grep -n "Stage" PLUGINS.md
grep -rn "PLUGINS.md" docs scripts
grep -rn "core.hooksPath" docs
grep -rn -- "--no-verify" .github docs
grep -c 'Bravo' PLUGINS.md plugins/Bravo/.continue-here.md
rg -n "continue-here" --hidden
rg -l PLUGINS.md | head
git grep -n "sed -i" -- scripts
wc -l PLUGINS.md plugins/*/.ideas/*.md
diff PLUGINS.md /tmp/PLUGINS.md
diff -u <(git show HEAD:PLUGINS.md) PLUGINS.md
cmp PLUGINS.md /tmp/PLUGINS.md && echo same
sha256sum plugins/Bravo/.ideas/*.md
shasum -a 256 plugins/Bravo/.ideas/architecture.md
md5sum PLUGINS.md
openssl dgst -sha256 plugins/Bravo/.ideas/architecture.md
stat -c %Y PLUGINS.md
file PLUGINS.md
test -f plugins/Bravo/.continue-here.md && echo there
[ -s PLUGINS.md ] || exit 1
jq . package.json
jq -r '.hooks | keys[]' .claude/settings.json
jq '.version' package.json > /tmp/version
yq '.repos[].repo' .pre-commit-config.yaml
python3 -m json.tool .claude/settings.json
python3 -c "import sys; print(sys.version)"
python3 -c "print(open('PLUGINS.md').read().count('Stage'))"
python3 -c "import json; print(json.load(open('package.json'))['version'])"
python3 -c "import re; print(re.findall(r'e \\d', open('PLUGINS.md').read()))"
node -e "console.log(require('./package.json').version)"
node -p "require('fs').readFileSync('PLUGINS.md', 'utf8').split('\\n').length"
perl -ne 'print if /Stage/' README.md PLUGINS.md
ruby -ne 'puts $_ if /Stage/' PLUGINS.md
python3 -c "import sys; sys.stdout.write(open('PLUGINS.md').read())"
python3 -c "import sys; print(open(sys.argv[1]).read())" PLUGINS.md
python3 -c "import frontmatter as f; print(f.load('PLUGINS.md').metadata)"
find . -name '*.cpp' | wc -l
find plugins -name '.continue-here.md'
find . -name PLUGINS.md -newer README.md
find plugins -name '*.md' -exec grep -l Stage {} +
find . -type f -name '*.md' | xargs wc -l
fd -e md . plugins
for f in plugins/*/.continue-here.md; do echo "$f"; head -3 "$f"; done
while read -r line; do echo "$line"; done < PLUGINS.md
less PLUGINS.md
bat -p plugins/Bravo/.ideas/architecture.md
pandoc PLUGINS.md -o /tmp/plugins.html
column -t -s'|' PLUGINS.md
cut -d'|' -f2 PLUGINS.md | sort -u
sort PLUGINS.md | uniq -c
xxd PLUGINS.md | head
code PLUGINS.md
open plugins/Bravo/.ideas/architecture.md
cp PLUGINS.md /tmp/PLUGINS.md
cp -r plugins/Bravo /tmp/bravo-backup
cp plugins/Bravo/.ideas/architecture.md /tmp/
tar czf /tmp/state.tgz PLUGINS.md plugins
zip -r /tmp/state.zip plugins PLUGINS.md
rsync -a plugins/ /tmp/plugins-backup/
scp PLUGINS.md host:/tmp/
docker cp PLUGINS.md web:/app/
aws s3 cp PLUGINS.md s3://bucket/
curl -F file=@PLUGINS.md https://example.invalid
gh gist create PLUGINS.md
split -l 100 PLUGINS.md /tmp/part
mail -s state a@example.invalid < PLUGINS.md
cat .git/hooks/pre-commit
ls -l .git/hooks
cat .pre-commit-config.yaml
cat .interlock.yaml
gh pr view 12 --comments
gh pr create --title "Bravo" --body "updates PLUGINS.md; never --no-verify"
gh run watch
curl -sS https://example.invalid/api | jq .
curl -fsSLo /tmp/x.tgz https://example.invalid/x.tgz
wget -q -O /tmp/page.html https://example.invalid
history | grep git
env | sort
echo $PATH
which git interlock python3
man git-commit
ps aux | grep interlock
du -sh plugins build
df -h .
python3 scripts/check_registry.py PLUGINS.md
./scripts/validate-handoff.sh plugins/Bravo/.continue-here.md
node scripts/report.js PLUGINS.md
"""

GIT = """\
git status -sb
git log --oneline -n 20 -- PLUGINS.md
git log -p -1 plugins/Bravo/.ideas/architecture.md
git log --grep='--no-verify'
git diff
git diff HEAD~1 -- PLUGINS.md
git diff --stat main...HEAD
git show HEAD:PLUGINS.md
git show HEAD~1:PLUGINS.md > /tmp/old.md
git blame PLUGINS.md
git add -A
git add PLUGINS.md plugins/Bravo/.continue-here.md
git add -p
git rm --cached build.log
git commit -m "feat(Bravo): Stage 2 complete"
git commit -am "docs: explain why --no-verify is refused"
git commit -m "fix: sed -i on PLUGINS.md corrupted the table"
git commit --amend --no-edit
git commit -F /tmp/message.txt
git commit --fixup HEAD
git commit --allow-empty -m "ci: trigger"
git commit -m "rm -rf plugins/Bravo is denied now"
git commit -m x -m "Reviewed-by: a" --trailer "Contract-Amendment: why"
git push
git push -u origin HEAD
git push --force-with-lease
git push -o ci.skip
git push --tags
git push origin --delete old-branch
git pull --rebase
git fetch --all --prune
git switch main
git switch -c topic
git checkout main
git checkout -b topic/x
git checkout -- src/index.ts
git checkout HEAD -- docs
git checkout HEAD~1 -- src
git restore src/index.ts
git restore --staged PLUGINS.md
git restore .
git checkout .
git checkout -- PLUGINS.md
git checkout HEAD -- PLUGINS.md plugins/Bravo
git restore --source HEAD plugins/Bravo/.ideas/architecture.md
git reset --soft HEAD~1
git reset --hard HEAD
git reset HEAD PLUGINS.md
git stash
git stash push -m wip -- PLUGINS.md
git stash pop
git stash list
git merge topic
git merge --abort
git merge --no-ff -m "Merge topic" topic
git rebase main
git rebase -i --autosquash main
GIT_SEQUENCE_EDITOR=true git rebase -i main
git rebase --continue
git cherry-pick -n abc123
git revert --no-edit HEAD
git tag -a v1.0 -m "release"
git branch -D old
git branch -vv
git worktree add ../topic topic
git worktree list
git bisect start HEAD v1.0
git bisect run make test
git submodule update --init --recursive
git clean -n
git clean -fdx build
git config --get user.email
git config user.name "Somebody"
git config --get core.hooksPath
git remote -v
git remote add upstream https://example.invalid/x.git
git rev-parse --show-toplevel
git rev-list --count HEAD
git ls-files plugins | head
git check-ignore -v build
git format-patch -1 --stdout > /tmp/x.patch
git apply --check harmless.patch
git apply harmless.patch
git apply -R harmless.patch
patch -p1 --dry-run < harmless.patch
patch -p1 < harmless.patch
git archive -o /tmp/x.zip HEAD
git bundle create /tmp/x.bundle --all
git notes add -m "seen"
git gc
git mv src/index.ts src/main.ts
git rm src/old.ts
git clone https://example.invalid/x.git /tmp/x
git -C /tmp/x status
git diff > /tmp/wip.patch
PATH="$HOME/.local/bin:$PATH" git commit -m x
PATH="$PWD/node_modules/.bin:$PATH" git push
export PATH="$HOME/.cargo/bin:$PATH" && git commit -m x
SKIP=clang-format git commit -m x
GIT_EDITOR=true git commit --amend
HUSKY=1 git commit -m x
interlock status
interlock check --staged
interlock verify-state Bravo
interlock registry set-status Bravo 'Stage 3'
interlock commit-stage Bravo 2 -m 'it builds'
interlock handoff update Bravo 2
interlock contracts verify Bravo
interlock resolve Bravo --choose 1
pre-commit run --all-files
pre-commit install
"""

WRITES = """\
mkdir -p plugins/Delta/Source plugins/Delta/.ideas
touch plugins/Bravo/Source/b.cpp
echo '#pragma once' > plugins/Bravo/Source/b.h
echo build >> .gitignore
echo x >> notes.md
printf '%s\\n' a b c > /tmp/list
rm -rf build dist *.log
rm -f plugins/Bravo/Source/a.cpp
rm -rf plugins/Bravo/build
rm -rf node_modules && npm ci
rm -rf /tmp/bravo-backup
rmdir empty
mv src/index.ts src/main.ts
mv docs/guide.md docs/manual.md
mv /tmp/notes.md plugins/Bravo
cp -r /tmp/template/. .
cp -r template/. .
cp harmless.patch docs/
cp src/*.ts lib/
rsync -a template/ .
rsync -av --delete build/ /tmp/deploy/
tar xzf harmless.tgz
tar xzf harmless.tgz -C build
unzip -o harmless.zip -d vendor
unzip -l harmless.zip
tar xzf missing.tgz
unzip missing.zip
gzip -k README.md
ln -s ../PLUGINS.md docs/PLUGINS.md
ln -sf build/compile_commands.json compile_commands.json
sed -i 's/foo/bar/g' src/index.ts
sed -i '' 's/foo/bar/' README.md
sed -i 's/PLUGINS.md/registry/' docs/guide.md
perl -pi -e 's/a/b/' src/index.ts
grep -rl foo src | xargs sed -i 's/foo/bar/'
find . -name '*.pyc' -delete
find . -name '__pycache__' -type d -exec rm -rf {} +
find . -name '.DS_Store' -delete
find . -type d -empty -delete
find build -type f -mtime +7 -delete
find src -name '*.ts' -exec sed -i 's/a/b/' {} +
find docs -name '*.md' | xargs sed -i 's/a/b/'
for f in src/*.ts; do sed -i 's/a/b/' "$f"; done
chmod +x scripts/build.sh
chmod 644 PLUGINS.md
chmod -R u+w plugins
touch PLUGINS.md
tee /tmp/out.log < README.md
make 2>&1 | tee build.log
dd if=/dev/zero of=/tmp/zero bs=1M count=1
truncate -s 0 build.log
sort -o names.txt names.txt
jq '.version = "2"' package.json > /tmp/p && mv /tmp/p package.json
T=$(mktemp -d) && cp -r src "$T" && rm -rf "$T"
curl -fsSL https://example.invalid/install.sh -o /tmp/install.sh
curl -fsSL https://example.invalid/x.tgz | tar xz -C /tmp
ffmpeg -i in.wav out.mp3
sox a.wav b.wav
sqlite3 app.db 'select 1'
psql -c 'select 1'
screencapture /tmp/shot.png
kill %1
sleep 2 && echo done
export FOO=1; echo "$FOO"
date +%F > /tmp/date
openssl rand -hex 16 > /tmp/secret
ssh host 'sed -i s/a/b/ PLUGINS.md'
crontab -l
python3 scripts/build.py --release
python3 -c "open('/tmp/x', 'w').write('y')"
python3 -c "import shutil; shutil.rmtree('build')"
python3 -c "import os; os.makedirs('plugins/Delta/Source', exist_ok=True)"
python3 -c "from pathlib import Path; Path('build').mkdir(exist_ok=True)"
node -e "require('fs').writeFileSync('/tmp/x', 'y')"
ruby -e 'puts 1'
npx create-vite@latest web --template react
npx prisma migrate dev
npm pkg set scripts.lint="eslint ."
bash -lc 'source ~/.bashrc; make'
xargs -a files.txt grep -n TODO
PYTHONPATH=src python3 -m app.main --verbose
echo "rm PLUGINS.md"
echo 'git commit --no-verify' >> docs/never.md
echo "see plugins/Bravo/.ideas/architecture.md" > /tmp/note
"""

# of several lines
LONG = (
    "cat > docs/never.md <<'EOF'\n"
    'Never run git commit --no-verify, sed -i PLUGINS.md or\n'
    "rm -rf plugins/Bravo; python3 -c \"open('PLUGINS.md', 'w')\"\nEOF",
    "cat > scripts/count.py <<'EOF'\n"
    'import sys\nprint(len(sys.argv))\nEOF\npython3 scripts/count.py',
    "cat > /tmp/body.md <<'EOF'\nPLUGINS.md says Stage 2.\nEOF\n"
    'gh pr create -F /tmp/body.md',
    'git commit -F - <<EOF\nfix: no rm of PLUGINS.md\n\n'
    'sed -i and git commit -n are refused.\nEOF',
    "git commit -m \"$(cat <<'EOF'\nfeat: Bravo\n\nTouches PLUGINS.md and "
    '.continue-here.md\nEOF\n)"',
    'python3 - <<EOF\nimport json\nprint(json.dumps({"a": 1}))\nEOF',
    "python3 - <<'EOF'\ntext = open('PLUGINS.md').read()\n"
    "for line in text.splitlines():\n    if 'Stage' in line:\n"
    '        print(line)\nEOF',
    "python3 <<'EOF'\nfrom pathlib import Path\n"
    "p = Path('src/index.ts')\np.write_text(p.read_text() + 'x')\nEOF",
    "node <<'EOF'\nconst fs = require('fs');\n"
    "fs.writeFileSync('docs/x.md', 'see the registry');\nEOF",
    "cat <<'EOF' > src/a.py\n# PLUGINS.md is read elsewhere\nx = 1\nEOF",
    'set -euo pipefail\ncd plugins/Bravo\nmake\ncd -\ngit status',
    'if [ -f PLUGINS.md ]; then echo yes; else echo no; fi',
    'case "$1" in start) make;; stop) make stop;; esac',
    "tee docs/howto.md <<'EOF' >/dev/null\nrm .git/hooks/pre-commit\nEOF",
    'python3 - <<EOF\nimport yaml\n'
    "d = yaml.safe_load(open('.pre-commit-config.yaml'))\nprint(d)\nEOF",
    'f() { echo "$1"; }; f "sed -i x PLUGINS.md"',
    '# sed -i s/a/b/ PLUGINS.md\nls',
    "cat > plugins/Alpha/.ideas/creative-brief.md <<'EOF'\n# Alpha\nEOF",
    "cat > plugins/Bravo/NOTES.md <<'EOF'\nfound a bug\nEOF",
    "sed -i 's/a/b/' plugins/Bravo/NOTES.md plugins/Bravo/CHANGELOG.md",
    'echo done >> plugins/Bravo/.ideas/plan.md',
)

# in the worktree of a task that the session holds
TASK = """\
git status
git add -A && git commit -m "wip: todo.md comes later"
git push -u origin bake-bread
git merge main
git rebase main
git restore .
git checkout HEAD -- todo.md
git clean -fd
git stash && git stash pop
git log --oneline main..
git diff main -- todo.md
git worktree list
cat todo.md
grep -n READY todo.md changelog.md
sed -n 1,5p todo.md
sed -i s/a/b/ README.md
echo x >> README.md
echo '- x' >> todo.md
cat ../task.json
jq -r .state ../task.json
jq '.transition_log | length' ../task.json
python3 -c "import json; print(json.load(open('../task.json'))['state'])"
python3 -m json.tool ../task.json
ls ../.. ../agents
cat ../../wash-up/task.json
npx prettier --write README.md
npx prettier --check .
black .
make test
mvn -q -B verify
docker build -t x .
find . -name '*.class' -delete
rm -rf target build
tar xzf missing.tgz
interlock lock show bake-bread
interlock gate bake-bread REVIEW
interlock trail check bake-bread
interlock lock release bake-bread
"""

COMMANDS = [
    *(line for table in (BUILDS, READS, GIT, WRITES) for line in table.splitlines()),
    *LONG,
]
