"""How people tell in other languages than English what lastingly holds of them and their kin.

Each constant is a piece of a regular expression; alternatives are divided by `|`.
"""

from __future__ import annotations

MY = (
    r"mein\w*|mon|ma|mes|mis?|(?:il |la |i |le )?mi[aeo]|(?:i )?miei"
    r"|(?:o |a |os |as )?(?:meus?|minhas?)|mijn"
)
KIN = (
    r"(?:enkel(?:in|sohn|tochter|kind)?|tochter|töchter|sohn|söhne|kind(?:er)?|frau|mann|mutter"
    r"|vater|eltern|bruder|schwester|oma|opa|großmutter|großvater|tante|onkel|nichte|neffe|cousine?"
    r"|petite-fille|petit-fils|fille|fils|femme|mari|mère|père|frère|sœur|soeur|grand-mère"
    r"|grand-père|tante|oncle|nièce|neveu"
    r"|niet[oa]|hij[oa]s?|mujer|esposa|marido|madre|padre|herman[oa]|abuel[oa]|tí[oa]|sobrin[oa]"
    r"|prim[oa]|nipote|figli[oae]|moglie|marito|fratello|sorella|nonn[oa]|zi[oa]|cugin[oa]"
    r"|net[oa]|filh[oa]s?|mulher|mãe|pai|irmão|irmã|avó|avô|sobrinh[oa]"
    r"|kleindochter|kleinzoon|dochter|zoon|vrouw|man|moeder|vader|broer|zus|oma|opa|neef(?:je)?|nicht(?:je)?)"
)
IS_MINE = (
    r"ich bin (?:\w+ )?(?:links|rechts)händer(?:in)?|ich bin (?:farbenblind|schwerhörig|schwanger)"
    r"|je suis (?:gauch(?:er|ère)|droiti(?:er|ère)|daltonien(?:ne)?|enceinte|malentendante?)"
    r"|soy (?:zurd[oa]|diestr[oa]|daltónic[oa]|sord[oa])"
    r"|sono (?:mancin[oa]|daltonic[oa]|allergic[oa]|vegetarian[oa]|vegan[oa]|celiac[oa])"
    r"|sou (?:canhot[oa]|daltônic[oa]|alérgic[oa]|vegetarian[oa]|vegan[oa]|celíac[oa])"
    r"|ik ben (?:links|rechts)handig|ik ben (?:kleurenblind|slechthorend|allergisch|vegetariër)"
)
BIRTHDAY = (
    r"geburtstag|anniversaire|née? le|cumple(?:años)?|compleanno|compie|aniversário|faz anos"
    r"|verjaar\w*|jarig"
)
AND = r"und|denn|weil|et|car|parce que|y|porque|e|perché|en|want|omdat"
THEREFORE = (
    r"deshalb|darum|daher|also|donc|alors|así que|por eso|quindi|perciò|então|por isso|dus|daarom"
)
