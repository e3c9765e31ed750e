"""Words by which tables say how far something is, in the usual order."""

from __future__ import annotations

from interlock.workflow.language.spec import BEFORE, DONE, STAGE

_WORDS = {
    BEFORE: """
        ❌, ✗, ✘, ⬜, ☐, 🔲, ⚪, 🔴, 💡, 💭, 📝, 📋, 📅, 🗓, ⏳, 🔜,
        wishlist, icebox, someday, considering, idea, ideas, ideated, concept, requested,
        new, proposed, proposal, suggested, draft, drafted, triage, backlog, future,
        later, planned, planning, upcoming, open, todo, to do, not started, not yet,
        pending, unstarted, queued, next, ready, scheduled, approved,
        idee, entwurf, neu, offen, geplant, zu erledigen, nicht begonnen,
        idée, nouveau, prévu, planifié, à faire, en attente,
        nuevo, pendiente, planificado, por hacer, da fare, pianificato,
        ideia, novo, pendente, planejado, planeado, a fazer, nieuw, gepland, te doen,
        идея, новая, запланировано, сделать, 未开始, 待办, 计划中, 予定, 未着手, 예정, 할 일
    """,
    STAGE: """
        🚧, 🔄, 🔨, 🔧, 🛠, 🏗, ⚙, 👷, 🟠, 🟡, 🟨, 🔵, ⏸, 👀, 🔍, 🧪,
        started, active, assigned, specified, design, designing, designed, in design,
        research, doing, wip, work in progress, in progress, ongoing, in work, current,
        underway, working, development, in development, implementing, building, coding,
        partial, partially done, partially complete, partially implemented, mostly done,
        alpha, beta, blocked, on hold, paused, waiting, deferred, postponed, review,
        in review, reviewing, reviewed, needs review, testing, in testing, test, qa,
        in qa, tested, verifying, verified, validating, validated, staging,
        begonnen, in arbeit, in bearbeitung, in entwicklung, blockiert, in prüfung, im test,
        en cours, en développement, bloqué, en revue, en test,
        en curso, en progreso, en desarrollo, bloqueado, en revisión, en pruebas,
        in corso, in sviluppo, in revisione, em andamento, em progresso,
        em desenvolvimento, em revisão, em teste, bezig, in uitvoering,
        в работе, в процессе, на проверке, 进行中, 开发中, 测试中, 作業中, 進行中, 진행 중, 진행중
    """,
    DONE: """
        ✓, ✔, ✅, ☑, 🟢, 🟩, 🎉, 🏁, 🚢, 🚀, 🚫, ⛔, 🗑,
        accepted, implemented, merged, done, complete, completed, finished, ready to ship,
        fixed, resolved, closed, delivered, deployed, released, shipped, installed, live,
        in production, production, published, adopted, final, superseded, replaced,
        deprecated, retired, obsolete, archived, rejected, declined, withdrawn, dropped,
        cancelled, canceled, abandoned, won't do, won't fix, wontfix, wont fix, skipped,
        removed, failed,
        umgesetzt, erledigt, fertig, abgeschlossen, veröffentlicht, verworfen,
        fait, fini, terminé, livré, abandonné,
        hecho, completado, terminado, publicado, fatto, completato, feito, concluído,
        cancelado, gereed, klaar, afgerond, сделано, готово, завершено, отменено,
        完成, 已完成, 已发布, 已取消, 完了, 완료
    """,
}
# work stops for a while, and goes on where it was
_PAUSED = """
    ⏸, blocked, on hold, paused, waiting, deferred, postponed, blockiert, bloqué, bloqueado
"""
# work stops for good
_GIVEN_UP = """
    🚫, ⛔, 🗑, rejected, declined, withdrawn, dropped, cancelled, canceled, abandoned, won't do,
    won't fix, wontfix, wont fix, skipped, removed, failed, verworfen, abandonné,
    cancelado, отменено, 已取消
"""
# word -> its place in the order, and its role
KNOWN: dict[str, tuple[int, str]] = {}


def _listed(text: str) -> list[str]:
    return [' '.join(word.split()) for word in text.split(',')]


for _role, _text in _WORDS.items():
    for _word in _listed(_text):
        KNOWN.setdefault(_word, (len(KNOWN), _role))
PAUSED, GIVEN_UP = frozenset(_listed(_PAUSED)), frozenset(_listed(_GIVEN_UP))


def common(word: str) -> str:
    """A word as it is listed here."""
    text = ' '.join(word.lower().replace('-', ' ').replace('_', ' ').split())
    return text.replace('\u2019', "'")


def known(word: str) -> tuple[int, str] | None:
    """Its place in the usual order and its role; None for a word of one team."""
    return KNOWN.get(common(word))
