"""The part of `askfirst-app check` about questions elsewhere: each surface is asked what only it can tell."""

from collections.abc import Callable, Iterator

from github_app.ports.surfaces import SurfaceUnavailable
from github_app.setup.finding import SetupFinding, SetupVerdict
from github_app.surface_settings import SurfaceSetting, SurfaceSettings
from github_app.surfaces.account_check import AccountFinding, Look, look_at
from github_app.surfaces.outgoing import Outgoing, SurfaceAnswer

Post = Callable[[Outgoing], SurfaceAnswer]


def check_surfaces(settings: SurfaceSettings, post: Post) -> Iterator[SetupFinding]:
    """A finding for each surface that can be asked."""
    for surface in settings.surfaces:
        look = look_at(surface)
        if look is not None:
            yield _finding(surface, look, post)


def _finding(surface: SurfaceSetting, look: Look, post: Post) -> SetupFinding:
    try:
        finding = _account_finding(look, post)
    except SurfaceUnavailable as unavailable:
        return SetupFinding(SetupVerdict.NO_ANSWER, f"surface {surface.name} could not say: {unavailable}")
    verdict = SetupVerdict.WRONG if finding.advice else SetupVerdict.FINE
    advice = (
        f"{finding.advice} (surface {surface.name}, in the file of ASKFIRST_SURFACES_FILE)."
        if finding.advice
        else ""
    )
    return SetupFinding(verdict, f"surface {surface.name}: {finding.subject}", advice)


def _account_finding(look: Look, post: Post) -> AccountFinding:
    request = next(look)
    while True:
        try:
            request = look.send(post(request))
        except StopIteration as end:
            finding: AccountFinding = end.value
            return finding
