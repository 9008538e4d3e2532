"""Words of recipes in German."""

TEXT = """food: Äpfel | Möhren | Kartoffeln | Pilze | Tomaten | Hähnchen | Linsen | Nudeln | Birnen | Zwiebeln | Kürbis | Bohnen | Pflaumen
| {food} schälen und in kleine Stücke schneiden.
| Die Butter in einer großen Pfanne zerlassen und {food} darin goldbraun braten.
| Bei mittlerer Hitze {count} Minuten backen.
| Die Sahne unterrühren und {small} Minuten köcheln lassen.
| Mit Salz, Pfeffer und einer Prise Muskat würzen.
| Mehl, Eier und Zucker zu einem glatten Teig verrühren und ruhen lassen.
| {food} abgießen und eine Tasse Wasser auffangen.
| Vor dem Servieren mit gehackter Petersilie bestreuen.
| Den Ofen vorheizen und eine Auflaufform einfetten.
| Das Eiweiß steif schlagen und vorsichtig unterheben.
| Warm servieren, dazu passen {food} und eine Scheibe Brot.
| {food} in die Form schichten und mit der Soße übergießen.
| {small} Tassen Brühe aufkochen und {food} hineingeben.
| Abkühlen lassen und über Nacht kalt stellen.
title: {food^} mit Kräutern | Omas Suppe: {food} | Gebackene {food} | {food^} nach Art von {city} | Schneller Eintopf
intro: Für {small} Personen · fertig in {count} Minuten · einfach | Ein Gericht für kalte Abende. | Das liebste Rezept unserer Leser aus {city}.
ingredients: Zutaten | Man braucht | Für den Teig | Einkaufsliste
steps: Zubereitung | So wird's gemacht | Anleitung
ingredient: {count} g {food} | {small} Tassen Mehl | {small} Eier | 1 TL Salz | {small} EL Olivenöl | 1 Prise Muskat | {count} g Butter | {count} ml Sahne | {small} Zwiebeln, gehackt | frische Petersilie | ½ Tasse Zucker | {small} Zehen Knoblauch"""
