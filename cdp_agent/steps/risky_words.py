"""What the words on a button say that it does, in English, German, French, Spanish, Portuguese, Italian, Dutch,
Norwegian, Danish, Swedish, Polish, Russian, Chinese and Japanese.

A button says it in its first word or in its last ("Delete the account", "Jetzt kaufen").
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

RiskKind = Literal["submits", "pays", "sends", "deletes", "downloads", "uploads", "scripts"]

_LONGEST = 7
"""Words. What says more is the text of an entry or a card, not of a button."""
_WORDS: Mapping[RiskKind, str] = {
    "pays": (
        "pay buy purchase donate subscribe bestellen kaufen bezahlen zahlen abonnieren spenden acheter payer "
        "comprar pagar acquista paga kopen betalen kjøp betal køb köp betala kup zapłać купить оплатить 购买 支付 "
        "付款 購入 支払う 注文する"
    ),
    "deletes": (
        "delete remove erase discard destroy uninstall unsubscribe löschen entfernen verwerfen kündigen "
        "supprimer effacer retirer eliminar borrar quitar excluir apagar remover elimina cancella rimuovi "
        "verwijderen verwijder wissen slett fjern slet radera usuń удалить 删除 移除 削除 削除する"
    ),
    "sends": (
        "send publish tweet reply transfer withdraw invite senden absenden abschicken verschicken "
        "veröffentlichen antworten überweisen einladen envoyer publier transférer enviar publicar transferir "
        "invia pubblica verzenden versturen verstuur publiceren publiser skicka publicera wyślij opublikuj "
        "отправить опубликовать 发送 发布 提交 送信 送信する 公開する"
    ),
    "submits": (
        "submit confirm bestätigen confirmer confirmar conferma bevestigen bekreft bekræft bekräfta potwierdź "
        "подтвердить 确认 確認する"
    ),
}
_FIRST_ONLY: Mapping[str, RiskKind] = {
    "post": "sends",
    "share": "sends",
    "order": "pays",
    "sign": "submits",
    "accept": "submits",
}
_PHRASES = re.compile(
    r"\b(?:place|complete|submit|confirm|finish) (?:\w+ )?(?:order|purchase|payment|booking|reservation)\b|\bbook now\b"
)
_BEFORE = ("yes", "ok", "okay", "now", "ja", "jetzt", "oui", "sí", "si", "sim", "da", "please", "i", "permanently")
_AFTER = ("now", "ahora", "maintenant", "agora", "nu", "nå", "it", "anyway")
_KINDS = {word: kind for kind, words in _WORDS.items() for word in words.split()}


def said_by(name: str, *, brief: bool = False) -> RiskKind | None:
    """What the name of a button says that it does; of a link only when it says little else (`brief`)."""
    text = name.casefold()
    words = re.findall(r"[^\W\d_]+(?:['’][^\W\d_]+)?", text)
    if not words or len(words) > (3 if brief else _LONGEST):
        return None
    if _PHRASES.search(text):
        return "pays"
    while len(words) > 1 and words[0] in _BEFORE:
        words = words[1:]
    while len(words) > 1 and words[-1] in _AFTER:
        words = words[:-1]
    return _KINDS.get(words[0]) or _FIRST_ONLY.get(words[0]) or _KINDS.get(words[-1])
