"""Phrases of reports, studies and minutes of findings."""

from inference.classes.phrases.evidence import Evidence

EVIDENCE = (
    Evidence(
        "report_title",
        "title",
        "report | *report | reports | report on | annual report | quarterly report | progress report | study"
        " | a study | case study | survey | analysis | evaluation | assessment | audit | review | inspection"
        " | findings | white paper | working paper | technical note | statistics | update | results of | *bericht"
        " | bericht | bericht uber | *studie | studie | *analyse | auswertung | *auswertung | untersuchung"
        " | *untersuchung | gutachten | *gutachten | evaluierung | bewertung | ergebnisse | erhebung | *erhebung"
        " | umfrage | *umfrage | bilanz | *protokoll | rapport | informe | relazione | verslag | jaarverslag"
        " | etude | estudio | studio | status | project status | findings of | results | monitor | monitoring"
        " | research | paper | thesis | dissertation | chapter | minutes | protocol | lagebericht"
        " | zwischenbericht | protokoll | *zahlung | *messung | *prufung | *bilanz | *statistik | *monitor"
        " | *beobachtung | entwicklung | expertise | *ergebnisse | half year",
    ),
    Evidence(
        "report_sections",
        "heading",
        "summary | executive summary | abstract | introduction | background | method | methods | methodology"
        " | results | discussion | conclusion | conclusions | recommendation | recommendations | findings"
        " | key findings | observations | outlook | references | appendix | annex | objectives | scope | data"
        " | limitations | next steps | highlights | key figures | risks | overview | zusammenfassung"
        " | kurzfassung | einleitung | einfuhrung | methodik | methode | methoden | vorgehen | ergebnis"
        " | ergebnisse | diskussion | fazit | schlussfolgerung* | empfehlung | empfehlungen | massnahmen"
        " | ausblick | hintergrund | ausgangslage | anhang | literatur | befund | befunde | feststellungen"
        " | kennzahlen | uberblick | zielsetzung | datengrundlage | risiken | ergebnisse der | resume | resultats"
        " | resumen | conclusiones | resultados | riassunto | risultati | conclusioni | samenvatting | resultaten"
        " | aanbevelingen | key points | key results | conclusion and | data and | analysis | literature"
        " | literature review | related work | experiment | experiments | evaluation | actions | action points"
        " | decisions | milestones | cause | root cause | history | diagnosis | impression | assessment"
        " | examination | treatment | location | status | budget | financial review | personnel | staff"
        " | anamnese | diagnose | diagnosen | verlauf | therapie | beurteilung | bewertung | ursache | ursachen"
        " | sachverhalt | analyse | auswertung | material und methoden | stand der | entwicklung | personal"
        " | finanzen | prognose | gesamturteil | hinweise",
    ),
    Evidence(
        "report_comparison",
        "text",
        "compared with | compared to | in comparison | previous year | prior year | last year | year on year"
        " | year over year | previous quarter | previous period | increased by | decreased by | rose by | fell by"
        " | rose to | fell to | rose from | fell from | grew by | declined by | increase of | decrease of"
        " | a decline | growth | on average | average of | the average | percent | per cent | percentage"
        " | proportion of | share of | the number of | the majority | one in | gegenuber dem vorjahr | gegenuber"
        " | im vergleich | vorjahr | vorjahres | zum vorjahr | vorquartal | gestiegen | gesunken | stieg | sank"
        " | stiegen | sanken | zugenommen | zuruckgegangen | anstieg | ruckgang | zuwachs | wachstum"
        " | im durchschnitt | durchschnittlich | im mittel | prozent | anteil | anteil der | mehrheit"
        " | die zahl der | knapp | par rapport | con respecto | rispetto al | ten opzichte | more than"
        " | fewer than | less than | higher than | lower than | earlier than | median | mean | mean of | doubled"
        " | halved | rose | fell | increased | decreased | declined | trend | rate of | ratio | total of | out of"
        " | per year | mehr als | weniger als | hoher als | niedriger als | verdoppelt | halbiert | zunahme"
        " | abnahme | nahm zu | ging zuruck | lag bei | lagen bei | insgesamt | je einwohner | pro jahr | im jahr"
        " | quote | mittelwert | statistisch | zahl der",
        3,
    ),
    Evidence(
        "report_findings",
        "text",
        "results show | results indicate | results suggest | the results | findings | we found | it was found"
        " | was found | were found | shows that | show that | indicates that | suggests that | we recommend"
        " | recommended | recommend | recommends | recommendation | should be | based on | data | analysis"
        " | analyzed | analysed | measured | measurements | observed | respondents | participants | interviewed"
        " | surveyed | sample | samples | survey | significant | significantly | evidence | inspected | examined"
        " | assessed | compliant | sites | cases | reporting period | fiscal year | financial year | under review"
        " | revenue | turnover | operating | quarter | forecast | project team | working group | status"
        " | prepared by | prepared for | author | authors | version | see table | see figure | der untersuchung"
        " | untersuch* | ergebnisse | die ergebnisse | ergab | ergaben | zeigt dass | zeigen dass | zeigt sich"
        " | deutet | lasst sich | festgestellt | wurde festgestellt | geprueft | gepruft | begutacht* | gemessen"
        " | messung* | befragt* | befragung | teilnehmer | stichprobe | ausgewertet | daten | erhoben | erhebung"
        " | berichtszeitraum | berichtsjahr | geschaftsjahr | quartal | umsatz | empfehlen | empfiehlt"
        " | empfohlen | wir empfehlen | es wird empfohlen | erstellt von | verfasser | arbeitsgruppe | standort*"
        " | mangel | schaden | siehe tabelle | massnahme* | were measured | were recorded | was recorded"
        " | were logged | recorded | tested | estimated | estimates | calculated | variables | variable | model"
        " | models | dataset | data set | hypothesis | statistically | standard error | standard errors"
        " | regression | correlation | effect | effects | experiment | monitoring | inspection | condition"
        " | damage | defects | cracks | repairs | repair | urgent | risk | risks | budget | on schedule | delayed"
        " | milestone | target | exceeded | below | limit | likely | proposed | it is proposed | we suggest"
        " | we propose | concluded | conclusion | therefore | expected | expects | segment | net debt"
        " | operating profit | net profit | earnings | patient | diagnosis | symptoms | investigation | incident"
        " | wurden gemessen | gezahlt | erfasst | wurden erfasst | werte | messwert* | grenzwert* | proben"
        " | probe | versuch* | modell | statistisch | zusammenhang | effekt | hypothese | auffallig*"
        " | ohne befund | befund | befunde | diagnose | mangel festgestellt | beanstandung* | abgenutzt"
        " | nachgewiesen | nachweis* | vermutet | deutlich | prognose | termin | verzogert | ursache"
        " | abweichung* | zielwert | wir schlagen vor | vorgeschlagen | verantwortlich | geschatzt*"
        " | ermittelt | besuche | auslastung | gewinn | ertrag | aufwand | ebit | patientin",
        4,
    ),
)
