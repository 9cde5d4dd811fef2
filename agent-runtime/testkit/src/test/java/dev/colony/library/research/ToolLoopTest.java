package dev.colony.library.research;

import static dev.colony.library.research.ReaderPolicyTest.QUESTION;
import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.AgentRun;
import dev.colony.library.research.ReaderPolicyTest.Large;
import dev.colony.testkit.FakeModel;
import dev.colony.testkit.FakeModel.Prompt;
import dev.colony.testkit.KillPoint;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A reader whose model has a large context and calls tools. */
class ToolLoopTest {

  private static final String BEGINS = "Places that a search found";
  private static final String AFTER_ONE = "(11 turns and ";
  private static final String AFTER_TWO = "(10 turns and ";
  private static final String MOVES = "Ledger.transfer moves them [1:7-9].";

  private static Answer answer(FakeModel model) {
    AgentRun run =
        ReaderPolicyTest.run(new Large(model.gateway(), 32_768), KillPoint.never(), QUESTION);
    assertThat(run.error()).isEmpty();
    return Answer.fromJson(run.output());
  }

  private static void looks(FakeModel model) {
    model.expect(AFTER_TWO).answer(MOVES).anyTimes();
    model.expect(AFTER_ONE).calls("read", Map.of("file", "1", "first", 1, "last", 40)).anyTimes();
    model
        .expect(BEGINS)
        .calls(
            "search", Map.of("words", "coins house"),
            "grep", Map.of("pattern", "class Other1\\b"),
            "definition", Map.of("symbol", "Ledger.transfer"),
            "usages", Map.of("symbol", "take"))
        .anyTimes();
  }

  @Test
  void aModelLooksByItselfInOneConversation() {
    try (FakeModel model = FakeModel.start()) {
      looks(model);
      Answer answer = answer(model);
      ReaderPolicyTest.assertCitesTheTransfer(answer);
      assertThat(model.count()).isEqualTo(3);
      List<Prompt> prompts = model.prompts();
      for (int turn = 1; turn < prompts.size(); turn++) {
        Prompt before = prompts.get(turn - 1);
        Prompt one = prompts.get(turn);
        assertThat(one.system()).isEqualTo(before.system());
        assertThat(one.tools()).isEqualTo(before.tools());
        assertThat(one.messages().subList(0, before.messages().size()))
            .as("each prompt begins with the one before")
            .isEqualTo(before.messages());
      }
      List<String> results = prompts.getLast().messages();
      assertThat(results.get(2)).startsWith("[").contains("\nlines ");
      assertThat(results.get(3)).contains("bank/Other1.java\n1\tclass Other1 {\n");
      assertThat(results.get(4)).contains("[1] bank/Ledger.java\n6\t", "\n7\t  void transfer(");
      assertThat(results.get(5)).contains("\n8\t    from.take(coins);").endsWith(" are left.)");
      assertThat(results.getLast()).startsWith("[1] bank/Ledger.java\n1\tpackage bank;\n");
    }
  }

  @Test
  void whereverTheProcessDiesNoTurnThatIsJournaledIsAskedForAgain() {
    KillPoint.walk(kill -> {
      try (FakeModel model = FakeModel.start()) {
        looks(model);
        AgentRun run = ReaderPolicyTest.run(new Large(model.gateway(), 32_768), kill, QUESTION);
        assertThat(Answer.fromJson(run.output()).citations()).hasSize(1);
        assertThat(model.count()).as("one that dies before its reply is stored").isBetween(3, 4);
      }
    });
  }

  @Test
  void aCallThatIsNoGoodIsToldWhatToDoOnOneLine() {
    try (FakeModel model = FakeModel.start()) {
      model.expect(AFTER_TWO).answer(MOVES);
      model
          .expect(AFTER_ONE)
          .calls(
              "definition", Map.of("symbol", "Ledger"),
              "grep", Map.of("pattern", "a"),
              "grep", Map.of("pattern", "b"),
              "grep", Map.of("pattern", "c"),
              "grep", Map.of("pattern", "d"),
              "grep", Map.of("pattern", "e"),
              "grep", Map.of("pattern", "f"),
              "grep", Map.of("pattern", "g"));
      model
          .expect(BEGINS)
          .calls(
              "read", Map.of("file", "1"),
              "grep", Map.of("pattern", "("),
              "write", Map.of("file", "1"),
              "read", Map.of("file", "None.java", "first", 1, "last", 2),
              "definition", Map.of("symbol", "Ledger"),
              "definition", Map.of("symbol", "Ledger"));
      assertThat(answer(model).citations()).hasSize(1);
      List<String> results = model.prompts().getLast().messages();
      assertThat(results.get(2))
          .isEqualTo(
              "it needs file, first, last, each of at most 200 characters: call it again with"
                  + " them\n");
      assertThat(results.get(3)).contains("no regular expression").hasLineCount(1);
      assertThat(results.get(4)).contains("call one of search, grep, read").hasLineCount(1);
      assertThat(results.get(5)).isEqualTo("the map has no file None.java\n");
      assertThat(results.get(6)).startsWith("[1] bank/Ledger.java");
      assertThat(results.get(7)).startsWith("You have the result of this call from turn 1:");
      assertThat(results.get(9)).startsWith("You have the result of this call from turn 1:");
      assertThat(results.get(15)).as("the sixth new call").contains("final class Ledger");
      assertThat(results.get(16)).startsWith("A turn has 6 calls at most");
    }
  }

  @Test
  void whatAnAnswerCitesWasShownToTheModel() {
    try (FakeModel model = FakeModel.start()) {
      model
          .expect("or give it with them")
          .answer("It moves them [bank/Ledger.java:7-9][9:1][1:900].");
      model.expect(BEGINS).answer("It moves them, as I remember [44:1-2].");
      Answer answer = answer(model);
      assertThat(answer.citations())
          .extracting(Evidence::place)
          .containsExactly("bank/Ledger.java:7-9");
      assertThat(answer.answer()).isEqualTo("It moves them [1].");
      assertThat(answer.dropped()).isEqualTo(2);
    }
  }

  @Test
  void aModelThatHasLookedAndFoundNothingSaysSo() {
    try (FakeModel model = FakeModel.start()) {
      model.expect(BEGINS).answer("NOT FOUND").times(2);
      Answer answer = answer(model);
      assertThat(answer.answer()).isNull();
      assertThat(answer.problem()).isEmpty();
      assertThat(answer.hits()).isNotEmpty();
      assertThat(model.prompts().getLast().messages().getLast())
          .startsWith("This is no answer with lines behind it");
    }
  }

  @Test
  void aModelThatLooksWithoutAnEndIsAskedToChooseAndRead() {
    try (FakeModel model = FakeModel.start()) {
      ReaderPolicyTest.competent(model);
      model
          .expect(BEGINS)
          .answer(prompt ->
              "{\"tool\":\"grep\",\"arguments\":{\"pattern\":\"coins|x{%d}\"}}"
                  .formatted(prompt.messages().size()))
          .anyTimes();
      Answer answer = answer(model);
      assertThat(answer.citations()).hasSize(1);
      assertThat(model.count()).isEqualTo(ToolLoop.MOST_TURNS + 2);
      assertThat(model.prompts().get(ToolLoop.MOST_TURNS - 1).messages().getLast())
          .endsWith("(Nothing is left for tools: answer now.)");
    }
  }

  @Test
  void oneThatRepeatsItselfIsNotLetGoOn() {
    try (FakeModel model = FakeModel.start()) {
      ReaderPolicyTest.competent(model);
      model.expect(BEGINS).calls("grep", Map.of("pattern", "coins")).anyTimes();
      assertThat(answer(model).citations()).hasSize(1);
      assertThat(model.count()).isEqualTo(3 + 2);
    }
  }

  @Test
  void aModelThatCannotCallToolsIsAskedToChooseAndRead() {
    try (FakeModel model = FakeModel.start().withoutTools()) {
      ReaderPolicyTest.competent(model);
      model
          .expect(BEGINS)
          .answer(
              "{\"say\":\"\",\"calls\":[{\"tool\":\"usages\",\"arguments\":{\"symbol\":\"x\"}}]}")
          .anyTimes();
      for (int asked = 1; asked <= 2; asked++) {
        assertThat(answer(model).citations()).hasSize(1);
        assertThat(model.prompts())
            .as("what a server refuses is known for the next question")
            .filteredOn(one -> one.text().contains(BEGINS))
            .hasSize(1);
      }
    }
  }

  @Test
  void aSmallerContextIsAskedToChooseAndRead() {
    try (FakeModel model = FakeModel.start()) {
      ReaderPolicyTest.competent(model);
      AgentRun run =
          ReaderPolicyTest.run(new Large(model.gateway(), 31_999), KillPoint.never(), QUESTION);
      assertThat(Answer.fromJson(run.output()).citations()).hasSize(1);
      assertThat(model.prompts()).noneMatch(one -> one.text().contains(BEGINS));
    }
  }
}
