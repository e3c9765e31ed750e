"""Commands that would change what is protected, by families.

Bravo is at a frozen stage; Alpha is only an idea. `evil/` holds files that
would land on records, `evil.tgz` and `evil.zip` hold the same.
"""

from __future__ import annotations

ILLEGAL = "'s/Stage 2/Stage 5/'"
CODE = "open('PLUGINS.md', 'w').write('x')"

# denied, with these codes
DENIED = {
    'CLD016': r"""
sed -i ':a;ba' PLUGINS.md
sed -i ':a;p;ba' PLUGINS.md
sed -i ':a;G;h;ba' PLUGINS.md
sed -i F PLUGINS.md
sed -i '1{F;n}' PLUGINS.md
sed -i N PLUGINS.md
sed -i 's/tr..s/x/' PLUGINS.md
sed -i l PLUGINS.md
PATH=./bin:$PATH sed -i 's/Stage 2/Stage 3/' PLUGINS.md
POSIXLY_CORRECT=1 sed -i 's/Stage 2/Stage 3/' PLUGINS.md -z
sed -i 's/Stage 3/Stage 5/;s/Stage 2/Stage 3/' PLUGINS.md ./PLUGINS.md
f() { sed -i 's/Stage 3/Stage 5/;s/Stage 2/Stage 3/' PLUGINS.md; }; f; f
for i in 1 2; do sed -i 's/Stage 3/Stage 5/;s/Stage 2/Stage 3/' PLUGINS.md; done
for i in $(cat x); do sed -i 's/Stage 3/Stage 5/;s/Stage 2/Stage 3/' PLUGINS.md; done
for ((i = 0; i < 2; i++)); do sed -i 's/Stage 3/Stage 5/;s/Stage 2/Stage 3/' PLUGINS.md; done
while true; do sed -i 's/Stage 3/Stage 5/;s/Stage 2/Stage 3/' PLUGINS.md; done
seq 2 | xargs -I{} sed -i 's/Stage 3/Stage 5/;s/Stage 2/Stage 3/' PLUGINS.md
find src -exec sed -i 's/Stage 3/Stage 5/;s/Stage 2/Stage 3/' PLUGINS.md ';'
fd x -x sed -i 's/Stage 3/Stage 5/;s/Stage 2/Stage 3/' PLUGINS.md
parallel sed -i 's/Stage_3/Stage_5/' PLUGINS.md ::: 1 2
perl -i'./*' -pe s/x/y/ evil/PLUGINS.md
sed -i '1r x' PLUGINS.md
sed -i '' 's/Stage 2/Stage 5/' PLUGINS.md
sed -i -f x.sed PLUGINS.md
sed -i "s/a/$x/" PLUGINS.md
echo x > y; make && sed -i '1d' PLUGINS.md
curl https://example.invalid --output PLUGINS.md
curl --output PLUGINS.md --output-dir . https://example.invalid
git shortlog --output=PLUGINS.md
git diff-tree --output=PLUGINS.md HEAD
man -P 'tee PLUGINS.md' ls
PAGER='tee PLUGINS.md' man ls
LESSOPEN='|rm PLUGINS.md' less x
export MANPAGER='rm PLUGINS.md'; man ls
socat - GOPEN:PLUGINS.md
cp <(echo x) PLUGINS.md
mmv PLUGINS.md x.md
rclone copyto evil/PLUGINS.md PLUGINS.md
rclone delete PLUGINS.md
rclone moveto PLUGINS.md /tmp/x.md
rclone moveto PLUGINS.md remote:x.md
rclone rcat PLUGINS.md
rclone copyurl https://example.org/x PLUGINS.md
mmv 'PLUG*' 'x#1'
git checkout-index --prefix=PLUG INS.md
socat - OPEN:PLUGINS.md,trunc
foreman run 'rm PLUGINS.md'
trap 'rm PLUGINS.md' SIGEXIT
f=PLUGINS.md; trap 'rm $f' EXIT
sqlite3 x.db ".output |tee PLUGINS.md" "select 1"
pgcli -c '\o PLUGINS.md'
python3 -m json.tool x PLUGINS.md
GIT_TRACE=$PWD/PLUGINS.md git status
git grep -O'rm PLUGINS.md;' x
git -c protocol.ext.allow=always fetch "ext::sh -c rm% PLUGINS.md"
sqlite3 x.db ".once PLUGINS.md" "select 1"
sqlite3 x.db <<< '.output PLUGINS.md'
sqlite3 x.db '.shell rm PLUGINS.md'
sqlite3 :memory: "select writefile('PLUGINS.md', 'x')"
printf '.output PLUGINS.md\nselect 1;\n' | sqlite3
duckdb -c "COPY (select 1) TO 'PLUGINS.md'"
psql -c "\copy t to 'PLUGINS.md'"
psql --output=PLUGINS.md -c 'select 1'
psql <<< '\g PLUGINS.md'
psql -c '\! rm PLUGINS.md'
mysql -e "select 1 into outfile 'PLUGINS.md'"
mysql -e 'system rm PLUGINS.md'
pg_dump -f PLUGINS.md db
gnuplot -e "set output 'PLUGINS.md'; plot x"
lftp -c 'get x -o PLUGINS.md'
tsc --outFile PLUGINS.md a.ts
gh release download v1 --output PLUGINS.md
pytest --junitxml=PLUGINS.md
tree -o PLUGINS.md
mlr -I --csv sort PLUGINS.md
curl -K - <<< 'output = "PLUGINS.md"'
curl -D PLUGINS.md https://example.invalid
wget -a PLUGINS.md https://example.invalid
strace -o PLUGINS.md ls
time -o PLUGINS.md ls
yes | git restore -p -s HEAD~1 PLUGINS.md
git checkout -p HEAD~1 -- PLUGINS.md
git fast-export HEAD --export-marks=PLUGINS.md
git rm -r --cached PLUGINS.md docs
hash -p /bin/rm ls; ls PLUGINS.md
let 'a[$(rm PLUGINS.md)]=1'
test -v 'a[$(rm PLUGINS.md)]'
[[ 'a[$(rm PLUGINS.md)]' -eq 1 ]]
x='a[$(rm PLUGINS.md)]'; echo $((x))
mapfile -C 'rm PLUGINS.md' -c 1 a < x
rg --pre rm x PLUGINS.md
sort --compress-program='rm PLUGINS.md' x
split --filter='rm PLUGINS.md' x
ssh -oProxyCommand='rm PLUGINS.md' host
tar xf x.tar --to-command='tee PLUGINS.md'
cp evil/arch*.md PLUGINS.md
mktemp PLUGINS.md.XXX && mv PLUGINS.md.* PLUGINS.md
echo ${x:-`rm PLUGINS.md`}
a[$(rm PLUGINS.md)]=1
awk 'BEGIN{"rm PLUGINS.md" | getline}'
awk 'BEGIN{print "x" |& "rm PLUGINS.md"}'
PS4='$(rm PLUGINS.md)' bash -xc ls
compgen -C 'rm PLUGINS.md' x
docker run -v $PWD:/w -w /w x sed -i s/a/b/ PLUGINS.md
awk -v f=PLUGINS.md 'BEGIN{print "x" > f}'
awk '{print > FILENAME}' PLUGINS.md
printf 'all:\n\trm PLUGINS.md\n' | make -f -
echo "@reboot rm $PWD/PLUGINS.md" | crontab -
rsync --remove-source-files PLUGINS.md /tmp
rsync -a --remove-source-files PLUGINS.md host:/x/
docker run -v $PWD:/w alpine sh -c 'echo x | sed -i s/a/b/ /w/PLUGINS.md'
docker run --rm -v "$(pwd)":/app -w /app alpine rm PLUGINS.md
docker run --rm -v .:/app alpine rm /app/PLUGINS.md
podman run -v .:/w:z busybox sh -c 'cd /w; rm PLUGINS.md'
docker run -v "$PWD:/src" -w /src node bash -lc 'npx prettier -w PLUGINS.md'
docker run --mount type=bind,source=.,target=/w alpine rm /w/PLUGINS.md
git rm --cached PLUGINS.md
git update-index --force-remove PLUGINS.md
git update-index --cacheinfo 100644,$(git hash-object -w x),PLUGINS.md
git update-index --add --cacheinfo 100644 0123 PLUGINS.md
git merge-file PLUGINS.md evil/PLUGINS.md evil/PLUGINS.md
a=(x PLUGINS.md); rm ${a[1]}
sed -i 's/a/b/' *.md
sed -i 's/a/b/' docs/reg
sed --in-place s/a/b/ PLUGINS.md
perl -pi -e 's/Stage 2/Stage 5/' PLUGINS.md
perl -i.bak -ne 'print' PLUGINS.md
ruby -pi -e '$_.sub!("a", "b")' PLUGINS.md
awk -i inplace '{print}' PLUGINS.md
gawk -i inplace '{gsub(/2/, "5")} 1' PLUGINS.md
ed -s PLUGINS.md <<< w
ex -sc '%s/a/b/|x' PLUGINS.md
vim -es -c '%s/a/b/' -c wq PLUGINS.md
emacs --batch PLUGINS.md --eval '(save-buffer)'
sd 'Stage 2' 'Stage 5' PLUGINS.md
prettier --write PLUGINS.md
npx prettier --write PLUGINS.md
npx --yes prettier@3 -w PLUGINS.md plugins/Bravo/.continue-here.md
pnpm exec prettier --write PLUGINS.md
pnpm prettier --write PLUGINS.md
yarn prettier --write PLUGINS.md
npx markdownlint --fix PLUGINS.md
npx markdownlint-cli2 --fix PLUGINS.md
mdformat PLUGINS.md
npx doctoc PLUGINS.md
npx remark PLUGINS.md --output
black PLUGINS.md
dos2unix PLUGINS.md
unix2dos plugins/Bravo/.continue-here.md
codespell -w PLUGINS.md
npx @biomejs/biome format --write PLUGINS.md
sort -o PLUGINS.md PLUGINS.md
sort PLUGINS.md | sponge PLUGINS.md
uniq /tmp/a PLUGINS.md
truncate -s 0 PLUGINS.md
dd if=/tmp/x of=PLUGINS.md
shred PLUGINS.md
curl -o PLUGINS.md https://example.invalid/x
curl -fsSL https://example.invalid/x > PLUGINS.md
wget -O PLUGINS.md https://example.invalid/x
scp host:/x PLUGINS.md
pandoc x.html -o PLUGINS.md
jq . x > PLUGINS.md
awk '{gsub(/2/, "5")} 1' PLUGINS.md > /tmp/t && mv /tmp/t PLUGINS.md
sed 's/Stage 2/Stage 5/' PLUGINS.md > /tmp/t; cp /tmp/t PLUGINS.md
sed 's/a/b/' PLUGINS.md | tee PLUGINS.md
python3 gen.py > PLUGINS.md
python3 gen.py | tee PLUGINS.md
envsubst < PLUGINS.md.in > PLUGINS.md
xmllint --format x > plugins/Bravo/.continue-here.md
rm PLUGINS.md
rm -f plugins/Bravo/.continue-here.md
\rm PLUGINS.md
'rm' "PLUGINS.md"
/bin/rm PLUGINS.md
rm -- PLUGINS.md
rm *.md
rm PLUGINS.{md,txt}
unlink PLUGINS.md
git rm PLUGINS.md
git rm -f plugins/Bravo/.continue-here.md
rm -rf plugins/*
git checkout "$REV" -- PLUGINS.md
mv PLUGINS.md /tmp/
mv PLUGINS.md OLD.md
mv plugins/Bravo/.continue-here.md /tmp/x
git mv PLUGINS.md docs/PLUGINS.md
trash PLUGINS.md
gio trash PLUGINS.md
shred -u PLUGINS.md
gzip PLUGINS.md
rename 's/P/Q/' PLUGINS.md
cd plugins/Bravo && rm .continue-here.md
(cd plugins/Bravo && rm -f .continue-here.md)
f=PLUGINS.md; rm "$f"
for f in PLUGINS.md README.md; do rm "$f"; done
case x in x) rm PLUGINS.md;; esac
if true; then sed -i s/a/b/ PLUGINS.md; fi
echo PLUGINS.md | xargs rm
echo PLUGINS.md | xargs sed -i s/a/b/
ls PLUGINS.md | xargs -I{} rm {}
bash -c 'rm PLUGINS.md'
sh <<< 'sed -i s/a/b/ PLUGINS.md'
eval 'rm PLUGINS.md'
env FOO=1 sed -i s/a/b/ PLUGINS.md
sudo rm PLUGINS.md
busybox sed -i s/a/b/ PLUGINS.md
timeout 5 rm PLUGINS.md
nohup sed -i s/a/b/ PLUGINS.md &
x() { rm PLUGINS.md; }; x
rsync -a evil/ .
rsync evil/PLUGINS.md .
rsync -a evil/PLUGINS.md PLUGINS.md
tar xzf evil.tgz
tar -xf evil.tgz -C .
tar --strip-components=1 -xf deep.tgz
unzip -o evil.zip
ln -sf /tmp/x PLUGINS.md
ln -s PLUGINS.md alias && sed -i s/a/b/ alias
ln PLUGINS.md /tmp/hard && rm -f x && truncate -s 0 /tmp/hard
cat > fix.sh <<'E'
sed -i s/a/b/ PLUGINS.md
E
bash fix.sh
printf 'x:\n\tsed -i s/a/b/ PLUGINS.md\n' > Makefile && make x
git checkout HEAD~1 -- gone && rm PLUGINS.md
python3 -m black PLUGINS.md
cp /tmp/missing PLUGINS.md
git checkout missing -- PLUGINS.md
git restore --source=HEAD~50 PLUGINS.md
patch PLUGINS.md /tmp/x.patch
: > PLUGINS.md
> PLUGINS.md
echo x > PLUGINS.md
cat /dev/null > PLUGINS.md
echo x 1<> PLUGINS.md
exec 3> PLUGINS.md; echo x >&3
cp README.md PLUGINS.md
echo x > plugins/Bravo/.continue-here.md
python3 x.py && cp legal/PLUGINS.md PLUGINS.md
make && cp legal/PLUGINS.md PLUGINS.md
tar xf evil.tgz PLUGINS.md
unzip -p evil.zip PLUGINS.md > PLUGINS.md
zip -m /tmp/x.zip PLUGINS.md
python3 -m zipfile -e evil.zip .
python3 -m tarfile -e evil.tgz .
ls *.md | while read f; do sed -i s/a/b/ "$f"; done
for f in *.md; do mv "$f" "$f.bak"; done
parallel rm ::: PLUGINS.md
""",
    'STG002': r"""
cd plugins && cd Bravo; sed -i s/2/5/ .continue-here.md
""",
    'STG001': r"""
sed -i'./*' s/x/y/ evil/PLUGINS.md
sed --in-place='./*' s/x/y/ evil/PLUGINS.md
sed -i 's/Stage 2/Stage 5/' PLUGINS.md
sed -i.bak 's/Stage 2/Stage 5/' ./PLUGINS.md
sed -i 's/Stage 2/Stage 5/' "$PWD/PLUGINS.md"
sed -i 's/Stage 2/Stage 5/' PLUG"INS".md
sed -i 's/Stage 2/Stage 5/' PLUG\INS.md
sed -i -e 's/Stage 2/Stage 5/' -- PLUGINS.md
sed -i -E 's/(Stage) [2]/\1 5/' PLUGINS.md
sed -i'' 's/Stage 2/Stage 5/;s/x/y/' PLUGINS.md
rclone copy evil .
rclone sync evil/ .
git reset HEAD~1 -- PLUGINS.md
git reset -q HEAD~1 PLUGINS.md && git checkout-index -f PLUGINS.md
git restore --staged --source=HEAD~1 -- PLUGINS.md
git apply --cached evil.patch
cp evil/PLUGINS.md PLUGINS.md
cp evil/PLUGINS.md .
cp -r evil/. .
cp -rT evil .
cp evil/*.md .
cp evil/PLUGINS.md docs/reg
git checkout HEAD~1 -- '*.md'
cp -t . evil/PLUGINS.md
install -m 644 evil/PLUGINS.md PLUGINS.md
mv evil/PLUGINS.md PLUGINS.md
mv evil/PLUGINS.md .
git checkout HEAD~1 -- PLUGINS.md
git checkout HEAD~1 PLUGINS.md
git restore --source HEAD~1 PLUGINS.md
git restore --source=HEAD~1 --staged --worktree -- PLUGINS.md
cd docs && git checkout HEAD~1 -- ../PLUGINS.md
git -C docs checkout HEAD~1 -- :/PLUGINS.md
git apply evil.patch
git apply -p1 evil.patch
patch -p1 < evil.patch
patch -p1 -i evil.patch
cd docs && patch -p1 -d .. -i evil.patch
ln -s PLUGINS.md alias && cp evil/PLUGINS.md alias
""",
    'CON006': r"""
git checkout-index -f --prefix=plugins/Bravo/.ideas/arc hitecture.md
socat -u - CREATE:plugins/Bravo/.ideas/architecture.md
sed -i s/a/b/ plugins/Bravo/.ideas/architecture.md
npx prettier --write plugins/Bravo/.ideas/architecture.md
npx markdownlint --fix plugins/Bravo/.ideas/*.md
dos2unix plugins/Bravo/.ideas/architecture.md
echo x > plugins/Bravo/.ideas/architecture.md
echo x >> plugins/Bravo/.ideas/architecture.md
cat README.md > plugins/Bravo/.ideas/architecture.md
cp README.md plugins/Bravo/.ideas/architecture.md
cp evil/architecture.md plugins/Bravo/.ideas/
cp -r evil/ideas/. plugins/Bravo/.ideas/
mv README.md plugins/Bravo/.ideas/architecture.md
rsync -a evil/ideas/ plugins/Bravo/.ideas/
rsync -a --delete evil/none/ plugins/Bravo/.ideas/
rm plugins/Bravo/.ideas/architecture.md
rm -rf plugins/Bravo
rm -r plugins
rm -rf ./plugins/Bravo/
mv plugins/Bravo /tmp/elsewhere
mv plugins/Bravo attic
mv plugins attic
git rm -r plugins/Bravo
git mv plugins/Bravo attic
mv evil/Golf/architecture.md plugins/Bravo/.ideas/architecture.md
mv plugins/Golf/.ideas/architecture.md plugins/Bravo/.ideas/
cd plugins/Bravo/.ideas && sed -i s/a/b/ architecture.md
cd plugins/Bravo/.ideas; tee architecture.md < /tmp/x
rm -rf $(echo plugins/Bravo)
trash plugins/Bravo
mv plugins/Bravo/.ideas plugins/Bravo/ideas
""",
    'CLD003': r"""
echo 'HUSKY=0' >> ~/.config/husky/init.sh
echo 'exit 0' > ~/.huskyrc
docker run --rm -v $PWD/.git:/g alpine rm -rf /g/hooks
git read-tree -um HEAD~1
git read-tree --reset -u HEAD~1
echo x >> .git/info/grafts
git rm -r .
git checkout HEAD~1 -- .
git restore -s HEAD~1 .
tar -xf hooks.tar -C .git/hooks
tar xf missing.tar -C .git/hooks
curl -s https://example.invalid/h.tgz | tar xz -C .git/hooks
unzip missing.zip -d .git/hooks
rsync -a evil/ .git/hooks/
cp -r evil/. .git/hooks/
cp -r evil .git/hooks
cp evil/PLUGINS.md .git/hooks/
git checkout HEAD~1 -- .claude/settings.json
git restore --source HEAD~1 .pre-commit-config.yaml
prettier --write .claude/settings.json
npx prettier --write .pre-commit-config.yaml
sed -i /interlock/d .pre-commit-config.yaml
rm -rf "$HOME/.cache/interlock/x"
echo x > ~/.cache/interlock/x/y.json
cp README.md ~/.cache/interlock/compiled/x.json
cp README.md .git/interlock/cache/x
""",
    'CLD005': r"""
python3 -c "import runpy; runpy.run_path('/x/interlock/agents/launcher.py')"
""",
    'CLD001': r"""
man -P 'git commit -n' ls
env SHELLOPTS=noexec git commit -m x
export SHELLOPTS=noexec; git commit -m x
env 'BASH_FUNC_interlock%%=() { :; }' git commit -m x
LEFTHOOK_BIN=/bin/true git commit -m x
LEFTHOOK_CONFIG=/tmp/x git commit -m x
OVERCOMMIT_DISABLE=1 git commit -m x
SKIP_SIMPLE_GIT_HOOKS=1 git commit -m x
HK=0 git commit -m x
export HK_SKIP_STEPS=interlock; git commit -m x
HK_SKIP_HOOK=pre-commit git commit -m x
git -c core.alternateRefsCommand='git commit -n -m x' fetch
git -c uploadpack.packObjectsHook='git commit -n -m x' fetch .
git -c sendemail.toCmd='git commit -n' send-email x
git -c sendemail.smtpServer='git commit -n' send-email x
git -c gpg.ssh.defaultKeyCommand='git commit -n' commit -S -m x
git config submodule.x.update '!git commit -n -m x'
export GIT_EDITOR='git commit -n'; git rebase -i main
SUDO_EDITOR='git commit -n' sudoedit x
BROWSER='git commit -n' gh browse
printf -v o -- '-%s' n; git commit $o -m x
`type -P git` commit -n -m x
gemini extensions uninstall interlock
devbox run 'git commit -n -m x'
git symbolic-ref refs/heads/main refs/heads/x
screen -S a -X stuff 'git commit -n^M'
ssh-agent git commit -n -m x
trap 'git commit $x' EXIT; x='-n -m y'
trap 'git commit $x' exit; x='-n -m y'
(trap 'git commit -n -m x' 0; ls)
GIT_CONFIG_PARAMETERS="'core.hooksPath'=''" git push
GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.hooksPath GIT_CONFIG_VALUE_0= git push
git receive-pack . < x
proot -r / git commit -n -m x
arch -x86_64 git commit -n -m x
bun run git commit -n -m x
npx git-cz -n
git cz -n
HUSKY=0 npm run commit
HUSKY=0 npm ci && HUSKY=0 git commit -m x
git --paginate -c pager.log='git commit -n' log
GIT_COMMON_DIR=/tmp/c git commit -m x
nix run nixpkgs#git -- commit -n -m x
hash -p /usr/bin/git x; x commit -n -m y
tar --checkpoint-action=exec='git commit -n' -cf x.tar x
rsync -e 'git commit -n' a b:c
psql <<< '\! git commit -n -m x'
printf 'BEGIN{system("git commit -n")}' > /tmp/x.awk; awk -f /tmp/x.awk
git hash-object -w -t commit /tmp/c
overcommit --uninstall
npm exec -c 'git commit -n'
yarn exec 'git commit -n'
git -c diff.external='git commit -n' diff
git for-each-repo --config=x.y commit -n
make --eval='$(shell git commit -n)'
GIT_REPLACE_REF_BASE=refs/x git commit -m x
GIT_TEMPLATE_DIR=/tmp/x git init
interlock() { true; }; export -f interlock; git commit -m x
git() { true; }; declare -fx git
(crontab -l; echo "* * * * * cd $PWD && git commit -n -am x") | crontab -
docker run -v $PWD:/w -w /w alpine/git commit --no-verify -m x
git replace HEAD HEAD~1
git replace --graft HEAD
git push -o interlock.breakglass=why
git push -ointerlock.breakglass=why origin main
git push --push-option=interlock.breakglass=why
git push --push-option interlock.breakglass
git -c push.pushOption=interlock.breakglass=x push
git config push.pushOption interlock.breakglass=x
git config --add push.pushOption interlock.breakglass
npx standard-version --no-verify
npx standard-version -n
npx commit-and-tag-version --no-verify
npx lerna version --no-verify
npx cz --no-verify
npx release-it --git.commitArgs=--no-verify
cz bump --no-verify
bump2version --commit-args=--no-verify patch
npm version patch --no-commit-hooks
npm run release -- --no-verify
yarn release --no-verify
pnpm run commit --no-verify
direnv exec . git commit --no-verify -m x
direnv exec . git commit -nm x
mise exec -- git commit -n -m x
mise x node@20 -- git commit --no-verify -m x
asdf exec git commit --no-verify -m x
uv run git commit --no-verify -m x
poetry run git commit -n -m x
op run -- git commit -n -m x
aws-vault exec dev -- git commit -n -m x
npx cross-env HUSKY=0 git commit -m x
make commit ARGS=--no-verify
make release GIT_FLAGS="--no-verify -q"
make commit SKIP=interlock
make HUSKY=0 commit
make commit GITFLAGS=-n
COMMIT_FLAGS=--no-verify make commit
export COMMIT_FLAGS=--no-verify && make commit
./scripts/release.sh --no-verify
git ci --no-verify -m x
git send-pack --push-option=interlock.breakglass origin
nix develop --command git commit --no-verify -m x
npm config set commit-hooks false
GIT_EDITOR='git commit -n' git rebase -i main
bash scripts/commit.sh --no-verify
PATH=fake:$PATH git commit -m x
PATH=/tmp/fake:$PATH git commit -m x
PATH="$PWD/fake:$PATH" git commit -m x
export PATH=/tmp/fake:$PATH; git commit -m x
mkdir bin; printf '#!/bin/sh\n' > bin/git; PATH=$PWD/bin:$PATH git commit -m x
printf 'c:\n\tgit commit -n -m x\n' > Makefile; make c
""",
}
# the user is asked
ASKED = r"""
aider --no-git-commit-verify --yes -m x
zip /tmp/x.zip a -T -TT 'git commit -n'
install -s --strip-program='git commit -n' a b
git config --global init.templateDir /tmp/x
git -c init.templateDir=/tmp/x init
LD_AUDIT=/tmp/x.so git commit -m x
PYTHONUSERBASE=/tmp/x git commit -m x
pip install 'interlock-hooks<0.1'
pip install interlock-hooks==0.0.1
pipx install --force interlock-hooks
uv tool install --reinstall interlock-hooks
sudo apt remove interlock
ln -s $(which interlock) /tmp/i; /tmp/i uninstall
cp $(which interlock) i && ./i approve x
python3 -c "from interlock.commands.setup import uninstall; uninstall.command()"
interlock $x
interlock $(cat x) --yes
gemini hooks disable-all
GEMINI_CLI_HOME=/tmp/x gemini -p x
HOME=/tmp npx @google/gemini-cli -p x
node node_modules/@openai/codex/bin/codex.js exec -c features.hooks=false x
git grep -l a -- plugins | xargs sed -i s/a/b/
git grep -l a | xargs sed -i s/a/b/
python3 -c 'import runpy; runpy.run_module("interlock")' uninstall
python3 -c "import os; os.remove(os.path.join('.git', 'hooks', 'pre-commit'))"
python3 -c "from pathlib import Path; (Path('.git') / 'hooks' / 'pre-commit').unlink()"
node -e "fs.rmSync(path.join('.git', 'hooks', 'pre-commit'))"
consul-template -template x:PLUGINS.md -once
aria2c -d plugins/Bravo/.ideas -o architecture.md https://example.invalid/x
yt-dlp -o PLUGINS.md https://example.invalid/x
esbuild a.ts --outfile=PLUGINS.md
go build -o PLUGINS.md ./x
rollup -oPLUGINS.md a.js
gh run download 1 -D plugins/Bravo/.ideas
pytest --basetemp plugins/Bravo
R --no-save <<< 'writeLines("x", "PLUGINS.md")'
ghci -e 'writeFile "PLUGINS.md" "x"'
sbcl --eval '(delete-file "PLUGINS.md")'
ansible localhost -m copy -a 'src=x dest=PLUGINS.md'
jshell - <<< 'Runtime.getRuntime().exec("git commit -n -m x")'
printf 'execute_process(COMMAND git commit -n)' > x.cmake; cmake -P x.cmake
mvn exec:exec -Dexec.executable=git -Dexec.args='commit -n -m x'
gradle exec -Pcmd='git commit -n'
bazel run @git//:git -- commit -n
flatpak run --command=git org.x.Y commit -n -m x
python3 -c "exec(__import__('base64').b64decode('b3M='))"
node -e "eval(Buffer.from('eA==', 'base64').toString())"
python3 -c 'from interlock.commands.main import main; main(["uninstall"])'
git lfs migrate import --include '*.md'
git subtree add --prefix x y z
git revise HEAD~1
git init --separate-git-dir=/tmp/g .
enable -f /tmp/x.so evil
npx simple-git-hooks
export QWEN_CODE_SAFE_MODE=1; qwen -p x
export CLAUDE_CODE_SIMPLE=1 && claude -p x
uv tool uninstall interlock-hooks
gdb -batch -ex 'shell git commit -n -m x'
lldb -o 'platform shell git commit -n -m x' -b
emacs --batch --eval '(shell-command "git commit -n -m x")'
vim -c 'call system("git commit -n -m x")' -c q
nvim --headless -c 'lua os.execute("git commit -n")' -c q
sops exec-env x.yaml 'git commit -n -m x'
guile -c '(system "git commit -n")'
R -e 'system("git commit -n")'
erl -eval 'os:cmd("git commit -n")' -noshell
rake -e 'sh "git commit -n"'
ant -Dx='git commit -n'
guix shell git -- git commit -n
deno eval 'new Deno.Command("git",{args:["commit","-n"]}).outputSync()'
kitty +runpy 'import os; os.system("interlock uninstall")'
node -e 'require("node-pty").spawn("interlock", ["uninstall"])'
npm config set script-shell /tmp/evil
dulwich commit -m x
got commit -m x
HOME=/tmp/x copilot -p x
QWEN_CODE_SAFE_MODE=1 qwen -p x
qwen --safe-mode -p x
claude --safe-mode -p x
npx @anthropic-ai/claude-code --bare -p x
codex features disable hooks
copilot config disableAllHooks true
rm "$OLDPWD/PLUGINS.md"
printf '#!/usr/bin/env python3\nopen("PLUGINS.md", "w")\n' > x; ./x
python3 -c 'import os; [open(f, "w") for f in os.listdir() if f[-3:] == ".md"]'
python3 -c 'import os; [open(f, "w") for f in os.listdir(".") if ".md" in f]'
python3 -c 'b = "plugins/Bravo"; open(b + "/.continue-here.md", "w")'
python3 -c 'n = "PLUGINS"; open(n + ".md", "w")'
python3 -c 'open("PLUG" + "INS.md", "w")'
python3 -c 'n = "Bravo"; open("plugins/" + n + "/.continue-here.md", "w")'
node -e 'fs.readdirSync(".").forEach(f => f.endsWith(".md") && fs.rmSync(f))'
python3 -c 'import shutil; shutil.rmtree("/root/.cache/interlock")'
git update-index --index-info < /tmp/x
git checkout-index --stdin -f < list
XDG_CACHE_HOME=/tmp/x git commit -m x
LD_PRELOAD=/tmp/x.so git commit -m x
PYTHONPATH=/tmp/x git commit -m x
export PYTHONPATH=/tmp/x; git commit -m x
PYTHONHOME=/tmp git push
BASH_ENV=/tmp/x git commit -m x
export BASH_ENV=/tmp/x; git commit -m x
rm $(git rev-parse --git-path hooks)/pre-commit
h=$(git rev-parse --git-path hooks); rm -f "$h/pre-commit"
declare -A m=([k]=PLUGINS.md); rm ${m[k]}
python3 -c "open('PLUGINS.md', 'w').write('x')"
python3 -c "from pathlib import Path; Path('PLUGINS.md').write_text('x')"
python3 -c "import os; os.remove('PLUGINS.md')"
python3 -c "import os; list(map(os.remove, ['PLUGINS.md']))"
python3 -c "import os; os.replace('x', 'PLUGINS.md')"
python3 -c "import shutil; shutil.copy('x', 'plugins/Bravo/.continue-here.md')"
python3 -c "import subprocess as s; s.run(['sed', '-i', 'x', 'PLUGINS.md'])"
python3 -c "p = 'PLUGINS.md'; s = open(p).read(); open(p, 'w').write(s)"
python3 -c "import glob; [open(f, 'w') for f in glob.glob('*.md')]"
python3 -c "import shutil; shutil.rmtree('plugins/Bravo')"
python3 -c "import shutil; shutil.rmtree('plugins')"
python3 -c "import shutil; shutil.copytree('evil', '.', dirs_exist_ok=True)"
node -e "require('fs').rmSync('plugins/Bravo', {recursive: true})"
git ls-files '*.md' | xargs sed -i s/a/b/
git diff --name-only | xargs prettier --write
node -e "require('fs').writeFileSync('PLUGINS.md', 'x')"
node -e "require('fs').unlinkSync('plugins/Bravo/.continue-here.md')"
perl -e 'open(F, ">PLUGINS.md"); print F "x"'
ruby -e 'File.write("PLUGINS.md", "x")'
php -r 'file_put_contents("PLUGINS.md", "x");'
lua -e 'io.open("PLUGINS.md", "w")'
deno eval "Deno.writeTextFileSync('PLUGINS.md', 'x')"
echo "open('PLUGINS.md', 'w')" | python3
python3 <<< "open('PLUGINS.md', 'w')"
python3 fix.py PLUGINS.md
python3 scripts/update_registry.py PLUGINS.md
./fix plugins/Bravo/.ideas/architecture.md
npm run format -- PLUGINS.md
npx some-fixer PLUGINS.md
npx prettier --write .
npx prettier --write '**/*.md'
npx prettier --write plugins
markdownlint --fix '**/*.md'
mdformat .
find . -name PLUGINS.md -delete
find . -name '*.md' -exec sed -i s/a/b/ {} +
find plugins -name '.continue-here.md' -exec rm {} \;
find . -name '*.md' | xargs prettier --write
find . -name '*.md' -print0 | xargs -0 sed -i s/a/b/
fd -e md -x sed -i s/a/b/ {}
curl -s https://example.invalid/x.tgz | tar xz
git apply missing.patch
curl -s https://example.invalid/x.patch | git apply
git diff main | git apply -R
rm "$DIR/PLUGINS.md"
sed -i s/a/b/ "$D/.continue-here.md"
PATH=/nowhere/x:$PATH git commit -m x
some-wrapper --no-verify
just commit --no-verify
rake 'release[--no-verify]'
curl -LO https://example.invalid/a.tgz && tar xf a.tgz
xargs rm < list.txt
find . -type f -delete
git archive HEAD~1 PLUGINS.md | tar x
rsync -a host:evil/ .
rsync -a missing/ plugins/Bravo/.ideas/
rsync -a missing/ .
cp -r missing/. plugins/Bravo/
cp -r /tmp/missing/Bravo plugins/
tar xf missing.tar -C plugins/Bravo/.ideas
unzip missing.zip -d plugins/Bravo
git checkout missing -- .
git clone https://example.invalid/x /tmp/x && cp -r /tmp/x/. .
7z x a.7z
docker cp web:/app/x PLUGINS.md
"""
# of several lines
LONG_ASKED = (
    f'python3 - <<EOF\n{CODE}\nEOF',
    "python3 <<'EOF'\nimport re\np = \"plugins/Bravo/.ideas/"
    'architecture.md"\ns = open(p).read()\nopen(p, "w").write(s + "b")\nEOF',
    "python3 - <<EOF\nname = 'Bravo'\n"
    "open(f'plugins/{name}/.continue-here.md', 'w').write('x')\nEOF",
    'python3 - <<EOF\nimport os\n'
    "p = os.path.join('plugins', 'Bravo', '.ideas', 'architecture.md')\n"
    "open(p, 'a').write('x')\nEOF",
    f'cat > fix.py <<EOF\n{CODE}\nEOF\npython3 fix.py',
    f'cat > /tmp/fix.py <<EOF\n{CODE}\nEOF\ncd /tmp; python3 fix.py',
    f'echo "import os" > f.py; echo "{CODE}" >> f.py; python3 f.py',
    f'cat > f.py <<EOF\n# $USER\n{CODE}\nEOF\npython3 < f.py',
    "node <<'EOF'\nconst fs = require('fs');\n"
    "fs.writeFileSync('PLUGINS.md', 'x');\nEOF",
)
# legal results by the same ways: they pass
LEGAL = r"""
LC_ALL=C sed -i 's/Stage 2/Stage 3/' PLUGINS.md
sed -i.bak 's/Stage 2/Stage 3/' PLUGINS.md
for f in PLUGINS.md README.md; do sed -i 's/Stage 2/Stage 3/' "$f"; done
while read -r f; do sed -i 's/x/y/' src/old.ts; done < names.txt
sed -i 's/Stage 2/Stage 3/' PLUGINS.md
sed -i -e 's/tres/x/' -e 's/Warm/warm/' PLUGINS.md
sed -i '/no such line/d' plugins/Bravo/.ideas/architecture.md
curl -sS --output-dir /tmp --output x https://example.invalid
cp <(sort names.txt) sorted.txt
install -m 644 <(echo x) notes.txt
cp /dev/stdin notes.txt < names.txt
jj --version
pip install interlock-hooks
pip install 'interlock-hooks[mcp]'
pip show interlock-hooks && pip download interlock-hooks==0.1
uvx --from interlock-hooks==0.1 interlock --version
EDITOR='code --wait' git rebase -i HEAD~2
export EDITOR="$VISUAL" PAGER=less; git commit --amend
PAGER='less -R' man git
export MANPAGER="sh -c 'col -bx | bat -l man -p'"; man ls
GIT_SEQUENCE_EDITOR="sed -i '1s/pick/edit/'" git rebase -i HEAD~2
LESSOPEN='| highlight %s' less src/index.ts
BROWSER=firefox gh browse
type git && type -P node
man -P cat git-log
printf -v day -- '%s' x; echo $day
git diff --output=/tmp/x.diff
git shortlog -sn
git config submodule.x.update rebase
git config --get init.templateDir
HK=1 git commit -m x
PYTHONUNBUFFERED=1 git commit -m x
zip -T /tmp/x.zip README.md
node node_modules/@openai/codex/bin/codex.js --version
interlock-agent --help
interlock explain "$code"
for c in status doctor; do interlock $c; done
eval "$(ssh-agent -s)" && ssh-add ~/.ssh/id
eval "$(direnv hook bash)"; eval "$(pyenv init -)"
eval "$(starship init bash)"; eval "$(zoxide init bash)"
trap 'rm -rf "$T"' EXIT; T=$(mktemp -d); cp README.md "$T"
trap - EXIT; trap 'echo done' 0
git symbolic-ref --short HEAD
git symbolic-ref HEAD refs/heads/x
git symbolic-ref refs/remotes/origin/HEAD
git symbolic-ref --delete refs/heads/x
git symbolic-ref refs/remotes/origin/HEAD refs/remotes/origin/main
git grep -l foo -- src | xargs sed -i s/foo/bar/
git grep -lz -e foo src docs/guide.md | xargs -0 -r sed -i s/foo/bar/
cp -r . /tmp/new-copy
cp -a "$PWD" /tmp/new-copy
rsync -a ./ /tmp/new-copy/
mkdir -p /tmp/new/.git/hooks && cp README.md /tmp/new/.git/hooks/
git checkout-index -a --prefix=/tmp/export/
socat -u FILE:PLUGINS.md STDOUT
mmv 'src/*.a' 'src/#1.b'
rclone sync build/ remote:bucket
rclone copy remote:data build/
rclone copy same .
rclone moveto build/x remote:x
rclone rcat remote:PLUGINS.md
rclone copyurl https://example.org/x build/x
rclone sync --dry-run evil .
devbox run 'npm test'
HUSKY=0 npm ci --omit=dev
HUSKY=0 pnpm install --frozen-lockfile
GIT_CONFIG_GLOBAL=/dev/null git log -1
arch -arm64 brew install jq
bun run build
git cz
python3 -c "import os; os.makedirs(os.path.join('src', 'new'), exist_ok=True)"
python3 -c "print(['.git', 'hooks', 'pre-commit'])"
python3 -m json.tool PLUGINS.md
GIT_TRACE=1 git fetch
git -c pager.log=less log
git grep -n Stage PLUGINS.md
scp host:x/y.tgz docs/
sqlite3 app.db '.output dump.sql' '.dump'
psql -c "\copy t to 'out.csv' csv header"
psql -h localhost -U me -d app -f migrations/001.sql
duckdb -c "select * from 'data.parquet' limit 5"
gnuplot -e "set terminal png; set output 'plot.png'; plot sin(x)"
tsc --outDir dist
gh release download v1.0 -p '*.tar.gz' -D .
gh pr create --fill --title 'Fix x' --body 'Does "y"'
pytest --junitxml=report.xml --basetemp=/tmp/x -q
curl -sSL -D /tmp/h -o /tmp/b https://example.invalid
aria2c -d /tmp -o x.iso https://example.invalid/x.iso
strace -f -o /tmp/trace.txt ls
git rm -r --cached node_modules
git checkout -p -- src/index.ts
git subtree split --prefix=lib -b lib-only
git lfs ls-files
hash -r
let 'x = 1 + 2'
[[ $x =~ ^a[0-9]+$ ]] && echo yes
rsync -avz -e 'ssh -p 2222' dist/ host:/srv/app/
tar -I zstd -cf a.tar.zst src
ssh -o ProxyCommand='ssh -W %h:%p jump' host uptime
cp legal/P*.md PLUGINS.md
mkdir -p out && cp build/*.js out/
uv tool list
uvx ruff check src
nix run nixpkgs#cowsay -- hi
mvn exec:java -Dexec.mainClass=com.x.Main -Dexec.args='--port 80'
R -e 'install.packages("ggplot2")'
mail -s report me@example.invalid <<< 'all "good" here'
bd create 'Document the registry in PLUGINS.md'
python3 -c "import base64,sys; print(base64.b64decode(sys.argv[1]))" aGk=
node -e "console.log(Buffer.from('aGk=','base64').toString())"
gh pr create --title x --body "git commit -n is forbidden"
npm exec -c 'eslint . && tsc'
awk 'BEGIN { "date" | getline d; print d }'
echo ${VERSION:-`git describe`}
nvim --headless '+Lazy! sync' +qa
gdb -batch -ex bt ./a.out core
man -P cat git-commit
sops exec-env secrets.yaml 'npm start'
HOME=/tmp/h npm test
copilot config list
got log
vim -R PLUGINS.md -c ':q'
rm -rf .venv && python -m venv .venv
echo 'export PATH=$HOME/.nvm:$PATH' > ~/.config/husky/init.sh
build() { make; }; export -f build
awk -v n=5 '$1 > n' PLUGINS.md
awk -v out=build/x '{print > out}' PLUGINS.md
printf '#!/usr/bin/env python3\nprint(open("PLUGINS.md").read())\n' > x; ./x
(crontab -l; echo '0 3 * * * /srv/backup.sh') | crontab -
python3 -c 'import pathlib as p; p.Path("docs").glob("*.md").send("x")'
python3 -c 'import os; [open(f, "w") for f in os.listdir("src") if ".ts" in f]'
python3 -c 'import os; [os.utime(f) for f in os.listdir("docs") if ".md" in f]'
python3 -c 'import os; print([f for f in os.listdir() if f.endswith(".md")])'
python3 -c 'name = "x"; open("docs/" + name + ".md", "w").write("x")'
docker run --rm -v "$PWD":/w -w /w python sh -c 'pip install . && pytest -q'
docker run --rm -v "$PWD":/w -w /w alpine sh -c 'cat PLUGINS.md | wc -l'
docker run --rm -v "$PWD":/w alpine sh -c 'grep Stage /w/PLUGINS.md > /tmp/x'
docker run -d -e POSTGRES_PASSWORD=x -v pgdata:/var/lib/data postgres:16
docker run --rm -v "$PWD:/src" -w /src node:22 npm run build
rsync -a --remove-source-files build/ /tmp/x/
git reset HEAD -- PLUGINS.md
git reset PLUGINS.md
git reset -- PLUGINS.md plugins/Bravo/.continue-here.md
git reset PLUGINS.md plugins/Bravo/.continue-here.md
git reset --hard HEAD~1
git reset HEAD~1 -- docs
git restore --staged PLUGINS.md
git rm --cached docs/guide.md
git rm -r --cached . && git add .
git update-index --refresh
git update-index --chmod=+x README.md
git read-tree HEAD
git checkout-index -f -a
git replace -l
git merge-file -p PLUGINS.md x y
PYTHONPATH=src git commit -m x
export PYTHONPATH="$PYTHONPATH:src"; git commit -m x
LD_PRELOAD=libx.so make test
a=(docs/guide.md x); rm "${a[0]}"
ls $(git rev-parse --git-path hooks)
cp legal/PLUGINS.md PLUGINS.md
cp -r legal/. .
mv legal/PLUGINS.md PLUGINS.md
install legal/PLUGINS.md .
git apply legal.patch
patch -p1 < legal.patch
git checkout HEAD -- PLUGINS.md
git checkout HEAD~1 -- docs
git restore PLUGINS.md
git restore --source HEAD plugins
echo '' >> PLUGINS.md
cp PLUGINS.md /tmp/x && cp /tmp/x PLUGINS.md
rsync -a same/ .
rsync -a --exclude PLUGINS.md --exclude /architecture.md evil/ .
cp same/PLUGINS.md PLUGINS.md
rm docs/reg
cat docs/reg
git mv plugins/Bravo plugins/Brava
"""


def split(text: str) -> list[str]:
    """One command a line, but for heredocs."""
    found: list[str] = []
    for line in text.strip('\n').split('\n'):
        if found and "<<'E'" in found[-1] and not (found[-1].endswith('\nbash fix.sh')):
            found[-1] += f'\n{line}'
        else:
            found.append(line)
    return found
