"""Whether the service is up."""

from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe


@require_safe
def health(request: HttpRequest) -> JsonResponse:
    """Say that the service is up."""
    return JsonResponse({"status": "ok"})
