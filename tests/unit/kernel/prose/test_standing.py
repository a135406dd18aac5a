"""Standing rules in what people say: what is one, what is none, and what ends one."""

from __future__ import annotations

import pytest

from quipu.kernel.prose.standing import Instruction, read, subject

RULES = {
    "english": """\
Always answer in metric units.
im not american, always give me grams pls
grams pls though, always grams for recipes, i do own measuring cups
can you stop opening with praise
say died with me, not passed
No force push on shared branches.
can we drop the emojis
less chatty please
just give me the answer first, then the reasons
explain it to me like I'm new to this
use tables when you compare things
we use tabs in this repo, not spaces
type hints everywhere please
all commits signed
Every PR that touches the schema needs his approval.
From now on, please call me Sam.
Please never use emojis when you write to me.
When I ask for recipes, leave out mushrooms.
Whenever you quote a price, add the tax.
Answer in German.
Stop apologising all the time.
Don't ever call me mate.
I want you to always cite your sources.
Keep your answers under five lines.
no emojis please
In future, sign my letters with "Dr. Okafor".
Can you always give me the short version first?
You should never suggest restaurants with live music.
Use kilometres and celsius, please.
Going forward: dates as day, month, year.
Please don't send me links unless I ask for them.
I always want my answers as plain text.
Don't recommend horror films to me any more.
Every time you draft an email for me, keep it polite.
If you don't know something, say so.
For this project, always use tabs.
New rule: no meetings on Fridays.
With clients always be formal.
I don't want you to flatter me.
Explain everything in simple words, always.
One thing for the future: round all sums to ten cents.
Just call me Jo.
By default, write tests with pytest.
use British spelling
Remember: never push to main.
Under no circumstances mention my ex.
Prices always with tax, please.
Could you please not use emojis?
As long as I'm on a diet, suggest no sweets.
No calls before ten, I work at night.
Letters to my clients only in English.
Don't start your messages with a greeting.
If something is unclear, ask me first.
After every change, run mypy.
Before pushing, rebase onto main.
If you have to choose between two libraries, pick the smaller one.
In case a test fails, show me the output first.
Ask before installing packages.
When I write ASAP, I mean within the week.
Your replies should be in British English.
Every bug fix gets a test.
Secrets belong in the vault.
All new code in Rust.
No abbreviations in variable names.
Replies in Spanish please.
One question at a time, please.
Single quotes, not double quotes.
Avoid anglicisms.
Don't remind me about my weight.
You're not allowed to push to main.
Stay out of the legacy directory.
Quit the flattery.
Write code comments in English.
Round prices up to full euros.
Prefer composition over inheritance.
In Slack messages, no greetings.
Use yarn in this repository.
We don't do force pushes in this repo.
I expect a test with every bug fix.
I like my answers short.
I don't want any jokes.
I'd prefer you not to use my last name.
It helps me if you use bullet points.
Address my wife as Dr. Lim.
My name's spelled with two n's.
You can assume I have Docker installed.
Unless told otherwise, all times are in Berlin time.
Starting today, no more sugar in my recipes.
That applies to all my letters.
Make that the default.
When in doubt, ask.
Use conventional commits.""",
    "german": """\
Antworte immer auf Deutsch.
Nenn mich bitte Alex.
Ab jetzt bitte keine Emojis.
Bitte immer in Kilometern angeben.
Schreib mir nie wieder in Großbuchstaben.
Wenn ich nach Rezepten frage, gib mir nur vegetarische.
Halte deine Antworten kurz.
Hör auf, dich ständig zu entschuldigen.
Ich möchte, dass du mich immer siezt.
Künftig bitte ohne Einleitung antworten.
Duze mich ruhig.
Du sollst mir nie Filme mit Gewalt empfehlen.
Keine Aufzählungen mehr.
Verwende metrische Einheiten.
Bitte antworte mir auf Englisch.
In Zukunft schreibe Daten mit dem Jahr zuerst.
Fass dich kurz.
Neue Regel: freitags keine Termine.
Bei Kunden immer förmlich.
Ich will nur noch kurze Antworten.
Zitiere grundsätzlich deine Quellen.
Kannst du mir bitte immer zuerst das Ergebnis sagen?
Nie Smileys verwenden.
Wenn du mir Code schreibst, füge einen Test hinzu.
Unterschreibe in allen Mails mit meinem Vornamen.
Erwähne meine Arbeit bitte nicht mehr.""",
}
NONE = {
    "english": """\
I always forget my keys.
My mother never calls.
Did you always answer so fast?
She said "never call me again" and left.
He told me to never use the lift.
What if I only ever ate soup?
Never mind.
Can you call me a taxi?
Call me when you get there.
Call me crazy, but I like it.
Write an email to Tom in German.
Translate this into French.
Stop crying.
Keep it up!
We always have lunch at noon.
The doctor says I should never skip breakfast.
I never want to go there again.
Don't forget the milk.
Remind me to always carry a charger.
Who always pays for the drinks?
I stopped using the metric system at school.
It never works on Mondays.
Let me know when you are ready.
Don't use this file yet, I am still editing it.
From now on I will get up at six.
In the future we will all have robots.
Keep the summary below short for now.
You never know.
It rains every time I wash the car.
Please write a short letter to the landlord.
Everybody always asks me that.
As always, thank you.
When I get home I want to sleep.
Imagine you could only ever answer in rhyme.
Make the script print the date each time it runs.
Add a docstring in every function.
Use port 80 by default.
For the wedding speech, keep it short.
When I want pizza, nothing else will do.
If you don't know, no problem.
My car is always in the garage.
Mails to clients always bounce.
Could you not open the file?
Each message must be under 160 characters for the API.
Next time I'll bring an umbrella.
Cut the onions before frying.
Show me the table again.
When you're done, push it.
Once the tests pass, merge it.
If there's a file called x in the folder, delete it.
If you need any help, let me know.
Before the meeting, print the agenda.
When I say jump, he asks how high.
The prices should be lower.
Emails should be there by now.
No questions from my side.
Vegetarian recipes with lentils
Only fools use tabs.
Don't touch my fries.
Never again!
For the slides, use blue.
Rename all variables to snake case in this file.
Add a test for each endpoint you just wrote.
Write unit tests for every public function in parser.py.
I want my money back.
I'd like the report in German by Friday.
It helps if you breathe slowly.
Your support means a ton to me.
That goes for everything in life.
Never mind the gap.
Every email gets lost.
The kids are back in school.""",
    "german": """\
Ich vergesse immer meinen Schlüssel.
Meine Mutter ruft nie an.
Warum antwortest du immer so lang?
Er sagte: "Ruf mich nie wieder an."
Es regnet immer, wenn ich frei habe.
Wir essen immer um zwölf.
Schreib eine Mail an Tom auf Englisch.
Übersetze das bitte.
Wie immer, danke.
Der Arzt meinte, ich soll nie das Frühstück auslassen.
Was wäre, wenn du nur reimen könntest?
Ruf mich an, wenn du da bist.
Ich habe das nie verstanden.
Vergiss die Milch nicht.
Heute nur kurz.
Nie im Leben!
Ab jetzt stehe ich um sechs auf.
In Zukunft haben wir alle Roboter.
Kannst du das zusammenfassen?
Nimm bitte diesmal die andere Datei.
Das Auto springt nie an.
Ich wünschte, du könntest immer dabei sein.
Alle fragen mich immer dasselbe.
Mach bitte das Fenster zu.
Ist das immer so?""",
}
ENDS = {
    "english": """\
You can use imperial again.
Forget the rule about emojis.
No need to sign my letters any more.
Stop using metric.
You don't have to answer in German any more.
Emojis are fine again.
Please forget what I said about short answers.
You may call me Samantha again.
Feel free to recommend horror films again.
It's okay to use bullet points again.
Go back to English again.
Drop the rule with the tabs.
Cancel that instruction about sources.
You no longer need to round the sums.
Scrap my rule on Fridays.
Write long answers again, please.
You needn't cite sources any more, no need to do that now.
The ban on spoilers is lifted.
Lift the restriction on links.
Use exclamation marks again.
Ignore my request about the short version.
You can stop adding tests.
Tests with every function are not necessary any more.
Answer in English again.
I no longer want you to end with a question.
Revoke the rule on tabs.
The rule with the francs no longer holds.
That thing about asking before deleting, forget it.
Let's go back to English.
You may call me Tom after all.
No need for metric any more.
Nuts are fine from now on.
Let's end the pirate thing.
Stop the daily reminders.
Horror films are back on the list.
You can relax the word limit now.""",
    "german": """\
Du darfst wieder Emojis verwenden.
Vergiss die Regel mit den Emojis.
Du musst nicht mehr auf Deutsch antworten.
Du brauchst meine Briefe nicht mehr zu unterschreiben.
Aufzählungen sind wieder okay.
Vergiss, was ich über kurze Antworten gesagt habe.
Nenn mich wieder Alexander.
Die Regel mit den Terminen gilt nicht mehr.
Streiche die Regel über Quellen.
Hör auf, alles in Kilometern anzugeben.
Schreib wieder ausführlich.
Es ist okay, wieder Witze zu machen.
Du kannst mich wieder duzen.
Antworte wieder auf Englisch.
Quellen sind nicht mehr nötig.
Ignoriere bitte meine Anweisung zu Links.
Sie brauchen mich nicht mehr zu siezen.
Das Verbot von Spoilern ist nicht mehr nötig.
Verwende wieder Tabellen.
Geh zurück zu langen Antworten, die dürfen wieder sein.
Ausrufezeichen sind wieder erlaubt.
Lösche die Vorgabe mit den Zeilen.
Vergiss bitte meine Bitte mit den Terminen.
Du musst keine Tests mehr schreiben.""",
}


def lines(table: dict[str, str]) -> list[str]:
    return [line for text in table.values() for line in text.splitlines()]


def only(text: str) -> Instruction:
    (found,) = read(text)
    return found


@pytest.mark.parametrize("said", lines(RULES))
def test_what_is_told_for_good_is_a_rule(said: str) -> None:
    assert [one.is_rule for one in read(said)] == [True]


@pytest.mark.parametrize("said", lines(NONE))
def test_habits_questions_quotations_and_tasks_are_no_rules(said: str) -> None:
    assert read(said) == []


@pytest.mark.parametrize("said", lines(ENDS))
def test_a_negation_ends_a_rule(said: str) -> None:
    assert [one.is_end for one in read(said)] == [True]


def test_a_rule_has_the_words_that_it_holds_for() -> None:
    assert only("When I ask for recipes, leave out mushrooms.").scope == "recipes"
    assert only("For this project, always use tabs.").scope == "this project"
    assert only("Always keep my emails short.").scope == "emails"
    assert only("Wenn ich nach Rezepten frage, gib mir nur vegetarische.").scope == "rezepten"
    assert only("Always answer in metric units.").scope == ""


def test_a_rule_that_points_back_takes_the_sentence_before_it_along() -> None:
    said = "Peanuts make me ill. Never suggest them to me."
    assert [one.text for one in read(said)] == [said]
    assert [one.text for one in read("It was nice there. Always answer in metric units.")] == [
        "Always answer in metric units."
    ]


def test_rules_on_one_matter_say_so() -> None:
    for said in ("From now on answer in German.", "Answer in English from now on.", "Antworte auf Deutsch."):
        assert subject(said).matters == {"language"}
    assert subject("Use imperial units.").matters == subject("Always answer in metric.").matters == {"units"}


def test_the_subject_of_a_rule_is_what_it_does_not_share_with_others() -> None:
    assert subject("Please never use emojis.").words == "emojis"
    assert subject("Forget the rule about emojis.").words == "the emojis"
    assert subject("Never call me Sammy.").is_negated
    assert not subject("Call me Sam.").is_negated


def test_without_a_word_for_always_a_manner_holds_only_if_nothing_is_to_be_done() -> None:
    assert read("Keep it under five lines.")
    assert not read("Write a poem about my cat. Keep it under five lines.")
    assert not read("Draft the letter to the landlord and keep it short.")


def test_a_thing_in_general_is_told_for_good_and_one_at_hand_is_not() -> None:
    for for_good, once in (
        ("Don't commit secrets.", "Don't commit that yet."),
        ("If a test fails, tell me why.", "If the test fails, tell me why."),
        ("Use tabs in this project.", "Use tabs in this file."),
        ("I want all dates in ISO format.", "I want the dates in this table sorted."),
        ("No calls on Fridays.", "No calls today."),
    ):
        assert [one.is_rule for one in read(for_good)] == [True]
        assert not read(once)


def test_pasted_documents_code_and_long_lists_hold_no_rules() -> None:
    assert not read("```\nAlways answer in metric units.\n```")
    assert not read("> Always answer in metric units.")
    assert not read("\n".join(f"- Always answer in style {n}." for n in range(9)))


def test_reading_is_linear_in_the_length_of_a_message() -> None:
    assert read("when i ask for " * 20_000) == []
    assert read("always, " * 20_000) == []
    for words in ("if a ", "before any ", "every time you, ", "all code, all code ", "please, please "):
        assert len(read((words * 100)[:390] + ". Thanks.")) <= 1
