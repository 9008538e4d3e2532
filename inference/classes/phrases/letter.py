"""Phrases of letters, on paper or by email."""

from inference.classes.phrases.evidence import Evidence

EVIDENCE = (
    Evidence(
        "letter_greeting",
        "start",
        "dear | my dear | dearest | to whom it may concern | ladies and gentlemen | sehr geehrte | sehr geehrter"
        " | sehr geehrtes | sehr verehrte | werte frau | werter herr | guten tag frau | guten tag herr"
        " | guten tag | liebe frau | lieber herr | liebe kolleg* | liebe eltern | liebe mitglieder | liebe kund*"
        " | liebe familie | liebe freund* | liebster | liebste | madame | monsieur | chere | cher | estimado"
        " | estimada | estimados | muy senor* | querido | querida | gentile | gentili | egregio | spettabile"
        " | caro | cara | geachte | beste | my darling | darling | sir | sirs | dear customer | dear all"
        " | good day | verehrte* | geehrte* | an alle",
    ),
    Evidence(
        "letter_hello",
        "heading",
        "dear | hi | hello | hey | good morning | good afternoon | liebe | lieber | hallo | hi zusammen | moin"
        " | servus | bonjour | hola | buongiorno | ciao",
    ),
    Evidence(
        "letter_closing",
        "text",
        "yours sincerely | yours faithfully | yours truly | yours respectfully | sincerely yours | kind regards"
        " | best regards | warm regards | warmest regards | with regards | kindest regards | best wishes"
        " | warm wishes | lots of love | with love | much love | many thanks and | freundlichen grussen"
        " | freundlichem gruss | freundliche grusse | besten grussen | beste grusse | viele grusse"
        " | vielen grussen | herzliche grusse | herzlichen grussen | liebe grusse | lieben grussen"
        " | schone grusse | herzlichst | hochachtungsvoll | mfg | cordialement | bien a vous"
        " | salutations distinguees | sinceres salutations | atentamente | un cordial saludo | saludos cordiales"
        " | un abrazo | cordiali saluti | distinti saluti | met vriendelijke groet* | hoogachtend | yours ever"
        " | yours in | ever your | best to all | obedient servant | god bless | thinking of you | sei umarmt"
        " | seid umarmt | fuhl dich | alles liebe | alles gute | in liebe | beste wunsche | mit den besten"
        " | kollegiale grusse | sonnige grusse | lg",
    ),
    Evidence(
        "letter_farewell",
        "heading",
        "sincerely | regards | cheers | love | all the best | take care | see you soon | respectfully | cordially"
        " | gratefully | with many thanks | many thanks | best | grusse | gruss | bis bald | dein | deine | euer"
        " | eure | herzlich | ihr | ihre | saludos | saluti | groeten | yours | ever | xoxo | xx | warmly"
        " | faithfully | see you then | see you | speak soon | talk soon | your friend | thanks | thank you"
        " | danke | vielen dank | bis dann | bis dahin | servus | tschuss | mit besten",
    ),
    Evidence(
        "letter_reference",
        "label",
        "subject | your ref | our ref | your reference | our reference | your letter | your letter of | ref"
        " | reference | attn | enclosure | enclosures | encl | enclosed | cc | p s | via email | by post"
        " | private and confidential | betreff | betr | betrifft | ihr zeichen | unser zeichen | mein zeichen"
        " | ihr schreiben | ihr schreiben vom | ihre nachricht | ihre nachricht vom | unsere nachricht vom"
        " | anlage | anlagen | einschreiben | per einschreiben | durchwahl | bearbeiter | objet | vos ref"
        " | asunto | oggetto | betreft | kenmerk | from | to | sent | von | an | gesendet | your letter dated"
        " | geschaftszeichen | gz | az",
    ),
    Evidence(
        "letter_phrases",
        "text",
        "thank you for your letter | thank you for your email | thank you for your | thank you very much"
        " | thanks for | i am writing | we are writing | i write | i refer to | we refer to | with reference to"
        " | further to | in response to | following our | look forward | looking forward | hear from you"
        " | hearing from you | do not hesitate | please feel free | let me know | let us know | please find"
        " | i enclose | we enclose | enclosed please | i hope | hope you | hope this | we regret | i regret"
        " | i am sorry | we are sorry | apologi* | we are pleased | i am pleased | i would be grateful"
        " | we would be grateful | would you | could you | i would like | we would like | on behalf of"
        " | to inform you | to let you know | as you know | as discussed | as agreed | it was | please call"
        " | please contact | give my | if you have any questions | i remain | vielen dank fur | herzlichen dank"
        " | danke fur | ihr schreiben | ihren brief | ihr schreiben vom | bezugnehmend | unter bezugnahme"
        " | bezug auf | wir freuen uns | ich freue mich | freuen uns auf | fur ruckfragen | zur verfugung"
        " | zogern sie nicht | anbei | beigefugt | beiliegend | leider mussen wir | leider konnen wir"
        " | wir bedauern | ich bedauere | entschuldig* | bitten wir sie | bitte ich sie | mochten wir"
        " | mochte ich | teilen wir ihnen | teile ich ihnen | ihnen mitteilen | ich hoffe | wir hoffen"
        " | mit diesem schreiben | ich wende mich | wende ich mich | melden sie sich | wie besprochen"
        " | wie geht es | im voraus | ich schreibe | wir schreiben ihnen | wir laden sie | ich bitte um"
        " | bitte teilen sie | je vous | nous vous | veuillez agreer | le escribo | le agradezco | agradecemos"
        " | le scrivo | la ringrazio | ik schrijf | hierbij | please confirm | kindly | just a | your letter"
        " | your request | your enquiry | your inquiry | your complaint | your application | your order"
        " | your message | invite you | you are invited | join us | we were | sorry to hear"
        " | sorry about | glad to | happy to | delighted to | we will be | i will | i have | i am | we have"
        " | we are | we hope | unless we hear | in the meantime | until then | please accept | please note"
        " | please let | bitte bestatigen | kundige ich | hiermit kundige | bestatigen sie | wir laden | lade ich"
        " | laden wir | eingeladen | ihre nachricht | ihre anfrage | ihre bestellung | ihren anruf | ihre geduld"
        " | ihr interesse | ihrem interesse | ihre bewerbung | gern | gerne | bitte beachten sie | leider"
        " | tut mir leid | verstandnis | bedanken | danken ihnen | danken wir | grusst | ich mochte | ich habe"
        " | ich bin | wir haben | wir sind | wir mussen | konnten sie | wurden wir | rufen sie | wenden sie sich"
        " | werden sie gebeten",
        3,
    ),
)
