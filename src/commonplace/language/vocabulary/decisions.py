"""How people say in other languages than English that something was decided, by them."""

from __future__ import annotations

DECIDED = (
    r"(?:wir|ich) hab(?:en|e)? (?:uns |mich )?(?:jetzt |nun |endlich |gestern |gemeinsam )?"
    r"(?:beschlossen|entschieden|vereinbart|abgemacht|geeinigt)"
    r"|(?:es ist )?beschlossen:|entscheidung:|beschluss:"
    r"|(?:on a|nous avons|j'ai)(?: finalement| donc| enfin)? (?:décidé|convenu)|décision ?:"
    r"|(?:hemos|he)(?: finalmente)? (?:decidido|acordado|quedado en)|(?:decidimos|acordamos|decidí)"
    r"|decisión:|(?:abbiamo|ho)(?: infine| finalmente)? (?:deciso|stabilito|concordato)|decisione:"
    r"|(?:decidi|combinamos|ficou decidido)|decisão:"
    r"|(?:we|wij|ik) hebb?(?:en)? (?:samen |nu )?(?:besloten|afgesproken)|besluit:"
)
"""Open a decision; what was decided follows."""
FOR_THE_MOMENT = (
    r"heute|morgen|vorerst|zuerst|erstmal|gleich|nachher|später|aujourd'hui|demain|d'abord"
    r"|maintenant|hoy|mañana|primero|ahora|oggi|domani|adesso|prima|hoje|amanhã|agora|primeiro"
    r"|vandaag|straks|eerst|nu"
)
"""Settle only what is done next."""
