"""Words of letters in German."""

TEXT = """| Vielen Dank für Ihr Schreiben vom {date}, das uns erst gestern erreicht hat.
| Wir haben Ihren Antrag geprüft und freuen uns, Ihnen zusagen zu können.
| Leider können wir den Termin am {date} nicht mehr verschieben.
| Bitte senden Sie uns das unterschriebene Exemplar innerhalb von {small} Wochen zurück.
| Es hat mich sehr gefreut, Sie in {city} kennenzulernen und mit Ihnen über {topic} zu sprechen.
| Wie telefonisch besprochen, lege ich unseren Katalog mit {thing} und {thing} bei.
| Ihre Bewerbung hat uns gut gefallen; gern laden wir Sie am {date} zu einem Gespräch ein.
| Ich wende mich an Sie, weil meine Bestellung von {thing} noch immer nicht eingetroffen ist.
| Hiermit kündige ich meinen Vertrag mit der Nummer {number} zum {date}.
| Bitte bestätigen Sie mir den Eingang dieses Briefes schriftlich.
| Unser Büro bleibt ab dem {date} geschlossen; danach erreichen Sie {person} wie gewohnt.
| Wir bedauern die Unannehmlichkeiten, die Ihnen durch die Verzögerung entstanden sind.
| Für Rückfragen steht Ihnen {person} in unserem Büro in {city} gern zur Verfügung.
| Meine Familie und ich grüßen Sie herzlich aus {city} und hoffen auf ein Wiedersehen im {month}.
| Ihre Kundennummer hat sich geändert; sie lautet nun {number}.
| Darf ich Sie daran erinnern, dass wir noch auf Ihre Antwort warten?
| Für eine baldige Antwort wäre ich Ihnen dankbar, da die Sache eilt.
| Die Versammlung unseres Vereins findet am {date} bei {firm}, {street} {small}, statt.
subject: Ihr Schreiben vom {date}
subject: Einladung nach {city} am {date}
subject: Kündigung des Vertrags {number}
subject: Ihre Bewerbung vom {date}
subject: Beschwerde wegen Lieferung von {thing}
subject: Unser Gespräch über {topic}
subject: {service^}
subject: Änderung meiner Anschrift
greeting: Sehr geehrter Herr {last_name}, | Sehr geehrte Frau {last_name}, | Sehr geehrte Damen und Herren, | Liebe {first_name}, | Hallo {first_name}, | Guten Tag, Frau {last_name},
closing: Mit freundlichen Grüßen | Herzliche Grüße | Hochachtungsvoll | Viele Grüße aus {city} | Mit bestem Dank | Freundliche Grüße
label: Ihr Zeichen: | Unser Zeichen: | Telefon: | Datum:
enclosed: Anlage: Kopie des Vertrags {number}
enclosed: Anlagen: {small} Fotos
enclosed: PS: Bitte grüßen Sie {person} von mir.
title: Geschäftsführung | Kundendienst | Leiter Vertrieb | Sekretariat | Niederlassung {city}"""
