"""Words of what holds for a moment, or tells how the work goes, in languages beside English."""

from __future__ import annotations

_WORDS = """
wieder gerade noch schon jetzt heute morgen gestern eben gleich bald leer falsch fehlt fehlen
funktioniert funktionieren geht klappt klappen stürzt kaputt fertig zu doppelt
wäre würde könnte hätte sollte vielleicht wohl wahrscheinlich angeblich
encore déjà maintenant aujourd'hui demain vide manque manquent faux fausse marche fonctionne plante
cassé cassée fini finie trop serait pourrait devrait peut-être
todavía aún ya ahora hoy mañana ayer vacío vacía falta faltan funciona funcionan mal roto rota
demasiado sería podría debería quizás quizá tal vez
ancora già adesso oggi domani ieri vuoto vuota manca mancano funziona funzionano sbagliato sbagliata
rotto rotta troppo sarebbe potrebbe dovrebbe forse
ainda já agora hoje amanhã ontem vazio vazia errado errada quebrado demais seria poderia deveria
talvez
nog al nu vandaag morgen gisteren werkt leeg fout ontbreekt klaar te zou misschien
"""
MOMENTARY = frozenset(_WORDS.split())
