"""How the state looks as GitHub's JSON, in REST answers and webhooks alike."""
