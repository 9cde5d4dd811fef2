package dev.colony.library.research;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import dev.colony.agent.AgentRun;
import dev.colony.blackboard.settings.Settings;
import dev.colony.inference.InferenceDelta;
import dev.colony.inference.InferenceGateway;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.OfferedModel;
import dev.colony.library.page.SourceTrees;
import dev.colony.library.page.SourceTrees.SourceToolSettings;
import dev.colony.library.research.ResearchTypes.MapIndexes;
import dev.colony.testkit.FakeModel;
import dev.colony.testkit.FakeModel.Prompt;
import dev.colony.testkit.KillPoint;
import dev.colony.testkit.TestAgent;
import dev.colony.testkit.board.InMemoryBlackboards;
import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageGroupId;
import dev.colony.vcm.PageLabel;
import dev.colony.vcm.PageMap;
import dev.colony.vcm.PageStore;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.mapping.PageText;
import dev.colony.vcm.mapping.TokenCounter;
import dev.colony.vcm.store.BlackboardPageStore;
import dev.colony.vcm.store.StoreSettings;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A reader with models that do as they are asked, and with others. */
class ReaderPolicyTest {

  static final String QUESTION = "Where are coins moved between accounts?";
  private static final String CHOOSES = "Choose the places";
  private static final String READS = "Each line stands behind its line number";

  private static final String REFUSAL =
      "This model's maximum context length is 4096 tokens. However, you requested %d tokens (%d in"
          + " the messages, 600 in the completion). Please reduce the length of the messages.";

  static final String LEDGER =
      """
      package bank;

      /** Keeps accounts. */
      final class Ledger {

        /** Moves coins between accounts. */
        void transfer(Account from, Account to, int coins) {
          from.take(coins);
          to.give(coins);
        }
      }
      """;

  private static final List<VirtualContextPage> PAGES =
      IntStream.rangeClosed(0, 30)
          .mapToObj(i ->
              i == 0
                  ? page("bank/Ledger.java", LEDGER)
                  : page(
                      "bank/Other%d.java".formatted(i),
                      "class Other%d {\n".formatted(i)
                          + "  int coins; // counts what accounts of the house have\n".repeat(40)
                          + "}\n"))
          .toList();

  private static VirtualContextPage page(String file, String text) {
    return PageText.page(file, text, PageLabel.NONE, new TokenCounter());
  }

  private static AgentRun run(FakeModel model, KillPoint kill, String question) {
    return run(model.gateway(), kill, question);
  }

  static AgentRun run(InferenceGateway model, KillPoint kill, String question) {
    PageStore pages =
        new BlackboardPageStore(
            new InMemoryBlackboards(), "test", "test", new StoreSettings(1 << 20, 2, 3));
    PageMap map =
        new PageMap(
            "map-1",
            "test",
            List.of(
                new PageGroup(
                    new PageGroupId("g".repeat(26)),
                    "bank",
                    PAGES.stream().map(VirtualContextPage::id).toList(),
                    PAGES.stream().mapToInt(VirtualContextPage::sizeTokens).sum(),
                    PageGroup.Kind.ADVISORY)),
            PAGES.size());
    pages.save(map, PAGES);
    try (TestAgent agent =
        TestAgent.of(ResearchTypes.reader())
            .service(PageStore.class, pages)
            .service(MapIndexes.class, new MapIndexes(pages, 1))
            .service(
                SourceTrees.class,
                new SourceTrees(Settings.read(SourceToolSettings.class, ConfigFactory.load())))
            .killed(kill)
            .service(InferenceGateway.class, model)
            .start()) {
      return agent.run(new Question(question, "map-1"));
    }
  }

  private static Answer answer(FakeModel model) {
    AgentRun run = run(model, KillPoint.never(), QUESTION);
    assertThat(run.error()).isEmpty();
    return Answer.fromJson(run.output());
  }

  /** The number of the ledger among the places, or among the passages. */
  static int ledger(Prompt prompt) {
    return prompt
        .text()
        .lines()
        .filter(line -> line.matches("\\[\\d+] bank/Ledger\\.java.*"))
        .map(line -> Integer.parseInt(line.substring(1, line.indexOf(']'))))
        .findFirst()
        .orElseThrow();
  }

  static void competent(FakeModel model) {
    model
        .expect(CHOOSES)
        .answer(prompt ->
            "{\"ids\":[%d],\"why\":\"it moves\"%s}"
                .formatted(
                    ledger(prompt), prompt.text().contains("\"words\"") ? ",\"words\":[]" : ""))
        .anyTimes();
    model
        .expect(READS)
        .answer(prompt ->
            """
            {"passages":[{"n":1,"why":"moves coins","grade":2,"lines":"7-10"}],
             "answer":"Ledger.transfer moves them [1:7-9]."%s}\
            """
                .formatted(prompt.text().contains("\"words\"") ? ",\"words\":[]" : ""))
        .anyTimes();
  }

  static void assertCitesTheTransfer(Answer answer) {
    assertThat(answer.answer()).isEqualTo("Ledger.transfer moves them [1].");
    assertThat(answer.citations())
        .singleElement()
        .satisfies(one -> {
          assertThat(one.place()).isEqualTo("bank/Ledger.java:7-9");
          assertThat(one.text())
              .isEqualTo(String.join("\n", LEDGER.lines().toList().subList(6, 9)));
        });
    assertThat(answer.hits().getFirst().file()).isEqualTo("bank/Ledger.java");
  }

  @Test
  void citesTheLinesOfTheFileThatTheModelNames() {
    try (FakeModel model = FakeModel.start()) {
      competent(model);
      Answer answer = answer(model);
      assertCitesTheTransfer(answer);
      assertThat(model.count()).isEqualTo(2);
      assertThat(model.prompts().getLast().text())
          .contains("\n7\t  void transfer(")
          .endsWith("Question: " + QUESTION);
    }
  }

  @Test
  void whereverTheProcessDiesNoReplyThatIsJournaledIsAskedForAgain() {
    KillPoint.walk(kill -> {
      try (FakeModel model = FakeModel.start()) {
        competent(model);
        Answer answer = Answer.fromJson(run(model, kill, QUESTION).output());
        assertThat(answer.citations()).hasSize(1);
        assertThat(model.count()).as("one that dies before its reply is stored").isBetween(2, 3);
      }
    });
  }

  @Test
  void anotherSearchFindsWhatTheWordsOfTheQuestionDoNot() {
    try (FakeModel model = FakeModel.start()) {
      model
          .expect(CHOOSES, "Question: Who has the gold?")
          .answer("{\"ids\":[],\"why\":\"\",\"words\":[\"transfer ledger\"]}")
          .times(1);
      competent(model);
      Answer answer = Answer.fromJson(run(model, KillPoint.never(), "Who has the gold?").output());
      assertThat(answer.answer()).isNull();
      assertThat(answer.hits())
          .as("no file contains a word of the question, so the reader asks no model")
          .isEmpty();
      answer =
          Answer.fromJson(
              run(model, KillPoint.never(), "Who has the gold? Which accounts?").output());
      assertThat(answer.hits()).isNotEmpty();
      assertThat(answer.citations()).extracting(Evidence::file).containsExactly("bank/Ledger.java");
    }
  }

  @Test
  void whateverTheModelRepliesTheHitsAreReturned() {
    for (String reads :
        List.of(
            "{\"passages\":[{\"n\":1,\"why\":\"\",\"grade\":0,\"lines\":\"\"}],\"answer\":\"\"}",
            "{\"passages\":[{\"n\":1,\"why\":\"\",\"grade\":2,\"lines\":\"900-990\"}],"
                + "\"answer\":\"It is there [1:900-990][9:1].\"}",
            "{\"passages\":[{\"n\":1,\"why\":\"\",\"grade\":0,\"lines\":\"x\"}],"
                + "\"answer\":\"From memory.\"}")) {
      try (FakeModel model = FakeModel.start()) {
        model.expect(CHOOSES).answer("{\"ids\":[],\"why\":\"\",\"words\":[]}");
        model.expect(READS).answer(reads);
        Answer answer = answer(model);
        assertThat(answer.answer()).as(reads).isNull();
        assertThat(answer.citations()).isEmpty();
        assertThat(answer.hits())
            .first()
            .satisfies(hit -> {
              assertThat(hit.file()).isEqualTo("bank/Ledger.java");
              assertThat(hit.firstLine()).as("the comment of what is declared").isEqualTo(3);
            });
      }
    }
  }

  @Test
  void aModelThatRepliesNothingUsableIsAskedFourTimesAtMost() {
    for (String garbage : List.of("and so on and so on", "{\"ids\":[77],\"passages\":[]}")) {
      try (FakeModel model = FakeModel.start()) {
        model.expect().answer(prompt -> garbage).anyTimes();
        Answer answer = answer(model);
        assertThat(answer.answer()).isNull();
        assertThat(answer.hits()).isNotEmpty();
        assertThat(model.count()).isLessThanOrEqualTo(4);
      }
    }
  }

  @Test
  void aReplyThatIsCutOffGivesTheHits() {
    try (FakeModel model = FakeModel.start()) {
      model.expect().cutOff().anyTimes();
      Answer answer = answer(model);
      assertThat(answer.answer()).isNull();
      assertThat(answer.hits()).isNotEmpty();
    }
  }

  @Test
  void aSmallModelIsShownFewerPlacesAndFewerLines() {
    try (FakeModel model = FakeModel.start()) {
      model
          .expect(
              "more than it takes",
              prompt ->
                  prompt.text().contains(CHOOSES) && prompt.text().contains("\n[20] ")
                      || prompt.text().contains(READS) && prompt.text().contains("\n[6] "))
          .fail(400, REFUSAL.formatted(5_600, 5_000))
          .anyTimes();
      model
          .expect(CHOOSES)
          .answer("{\"ids\":[1,2,3,4,5,6,7],\"why\":\"\",\"words\":[]}")
          .anyTimes();
      competent(model);
      Answer answer = answer(model);
      assertThat(answer.citations()).extracting(Evidence::file).containsExactly("bank/Ledger.java");
      assertThat(model.prompts())
          .anySatisfy(one -> assertThat(one.text()).contains(CHOOSES).contains("\n[20] "))
          .anySatisfy(one -> assertThat(one.text()).contains(CHOOSES).doesNotContain("\n[20] "));
    }
  }

  @Test
  void aModelThatDoesNotAnswerIsSaid() {
    try (FakeModel model = FakeModel.start()) {
      model.expect().fail(400, "no such model");
      Answer answer = answer(model);
      assertThat(answer.problem()).contains("no such model");
      assertThat(answer.hits()).isNotEmpty();
    }
  }

  /** A gateway whose model has a context of so many tokens. */
  record Large(InferenceGateway of, long contextTokens) implements InferenceGateway {

    @Override
    public CompletionStage<InferenceReply> complete(
        InferenceRequest request, Consumer<InferenceDelta> parts) {
      return of.complete(request, parts);
    }

    @Override
    public List<OfferedModel> models() {
      return of.models().stream()
          .map(one ->
              new OfferedModel(
                  one.name(),
                  one.served(),
                  OptionalLong.of(contextTokens),
                  one.tools(),
                  one.usual(),
                  one.tags(),
                  one.fallbacks()))
          .toList();
    }

    @Override
    public void close() {}
  }

  @Test
  void aLargeModelThatReadsInVainMayHaveAnotherSearch() {
    KillPoint.walk(kill -> {
      try (FakeModel model = FakeModel.start()) {
        model
            .expect(CHOOSES, "\"words\"")
            .answer("{\"ids\":[3],\"why\":\"\",\"words\":[]}")
            .anyTimes();
        model
            .expect(READS, "\"words\"")
            .answer(
                "{\"passages\":[{\"n\":1,\"why\":\"\",\"grade\":0,\"lines\":\"\"}],"
                    + "\"answer\":\"\",\"words\":[\"transfer ledger\"]}")
            .anyTimes();
        competent(model);
        AgentRun run =
            run(new Large(model.gateway(), 20_000), kill, "Who counts what accounts have?");
        assertThat(Answer.fromJson(run.output()).citations()).hasSize(1);
        assertThat(model.count()).isBetween(4, 5);
      }
    });
  }
}
