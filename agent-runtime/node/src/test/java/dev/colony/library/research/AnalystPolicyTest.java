package dev.colony.library.research;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.ModelCall;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionDescription;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.action.ActionType.Effect;
import dev.colony.agent.author.ActionContext;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.ActionProvider;
import dev.colony.agent.author.Decision;
import dev.colony.inference.ChatMessage;
import dev.colony.library.research.AnalystCapability.Checked;
import dev.colony.library.research.AnalystCapability.Quote;
import dev.colony.library.research.AnalystPrompt.Assignment;
import dev.colony.library.research.Answer.UnreadReasons;
import dev.colony.library.research.CoordinatorCapability.Consultation.Findings;
import dev.colony.library.research.ResearchTypes.Json;
import dev.colony.vcm.PageId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

class AnalystPolicyTest {

  private static final String FIRST = "a".repeat(26);
  private static final String SECOND = "b".repeat(26);
  private static final Assignment TWO_PAGES =
      new Assignment("where is it?", List.of(FIRST, SECOND), List.of("TreeMap put"), "", "map-1");
  private static final Assignment LONG_PAGE =
      new Assignment("where is it?", List.of(Desk.LONG.id().value()), List.of(), "", "map-1");

  /** Tokens that a model takes: fewer than the long page has. */
  private static final long SMALL = 4096;

  private static final Evidence FOUND =
      new Evidence("A.java", 3, 5, "class A {\n  int a;\n}", 2.5, FIRST, "acme/lab/tested", "read");
  private static final String QUOTE =
      reply(
          "{\"file\":\"A.java\",\"first\":3,\"last\":5,\"text\":\"class A {\",\"score\":2.5}", "");
  private static final String LOOK =
      "{\"tool\":\"definition\",\"of\":\"Tree.merge\",\"first\":0,\"last\":0}";
  private static final Checked.Missed MISSED =
      new Checked.Missed(
          new Quote("A.java", 3, 3, "class B {", 9), "A.java:1-5", "package a;\n\nclass A {");

  private final Desk desk = new Desk();
  private final AnalystPolicy policy = new AnalystPolicy(desk.context, AnalystPolicy.Args.DEFAULT);
  private JsonNode custom = JsonNodeFactory.instance.objectNode();
  private final List<ActionResult> results = new ArrayList<>();
  private int iteration;

  @Test
  void asksTheModelAboutTheFirstPageAlone() {
    desk.answering(QUOTE);

    next();

    assertThat(desk.asked)
        .singleElement()
        .satisfies(call -> {
          assertThat(call.preamble()).isEqualTo(AnalystPrompt.PREAMBLE);
          assertThat(call.pages()).containsExactly(new PageId(FIRST));
          assertThat(call.suffix()).contains("TreeMap put").endsWith("Question: where is it?");
          assertThat(call.reply().schema()).isPresent();
        });
  }

  @Test
  void hasTheQuotesOfTheReplyChecked() {
    desk.answering(QUOTE);

    Action action = acted();

    assertThat(action.key()).isEqualTo(AnalystCapability.CHECK_QUOTES);
    assertThat(action.params().path("page").asText()).isEqualTo(FIRST);
    assertThat(action.params().path("modelCall").asText()).isEqualTo("read");
    assertThat(action.params().path("quotes"))
        .isEqualTo(Json.of(List.of(new Quote("A.java", 3, 5, "class A {", 2.5))));
  }

  @Test
  void quotesThatLookLikeReferencesStandForThemselves() {
    desk.answering(QUOTE.replace("class A {", "$results.other"));

    Action action = acted();

    assertThat(desk.context.dispatcher().resolve(action.params()).at("/quotes/0/text").asText())
        .isEqualTo("$results.other");
  }

  @Test
  void readsEachPageOnceAndCompletesWithTheStrongestEvidenceFirst() {
    Evidence stronger =
        new Evidence("B.java", 9, 9, "class B {", 7.0, SECOND, "acme/lab/tested", "read");
    desk.answering(QUOTE);
    checked(acted(), List.of(FOUND));
    checked(acted(), List.of(stronger));

    Findings findings = findings(next());

    assertThat(desk.asked)
        .extracting(ModelCall::pages)
        .containsExactly(List.of(new PageId(FIRST)), List.of(new PageId(SECOND)));
    assertThat(findings)
        .isEqualTo(new Findings(List.of(stronger, FOUND), List.of(), UnreadReasons.NONE, 0));
  }

  @Test
  void quotesThatStandNowhereAreAskedForOnceMoreBehindTheSamePromptAndThenCounted() {
    desk.answering(QUOTE);
    checked(acted(), List.of(FOUND), MISSED, MISSED);

    Action repair = acted();

    ModelCall first = desk.asked.get(0);
    ModelCall second = desk.asked.get(1);
    assertThat(second.preamble()).isEqualTo(first.preamble());
    assertThat(second.pages()).isEqualTo(first.pages());
    assertThat(second.messages().subList(0, 1)).isEqualTo(first.messages());
    assertThat(second.messages().get(1)).isEqualTo(new ChatMessage.Assistant(QUOTE, List.of()));
    assertThat(second.suffix()).contains("class B {", "In A.java:1-5 stands", "| class A {");
    assertThat(repair.actionId()).isEqualTo("page-0-repair");

    Evidence mended = new Evidence("A.java", 9, 9, "class B{", 9, FIRST, "acme/lab/tested", "read");
    checked(repair, List.of(FOUND, mended), MISSED);
    checked(acted(), List.of());
    assertThat(desk.asked.get(2).pages()).as("the next page").containsExactly(new PageId(SECOND));
    assertThat(findings(next()).dropped()).isEqualTo(1);
  }

  @Test
  void whatTheModelWantsToSeeIsShownToItWhereTheAgentCanSoManyTimes() {
    Tree tree = new Tree();
    desk.context.dispatcher().offer(tree);
    desk.answering(reply("", LOOK));
    checked(acted(), List.of());

    assertThat(next()).isInstanceOf(Decision.Skip.class);

    assertThat(tree.asked)
        .containsExactly("source.definition {\"map\":\"map-1\",\"symbol\":\"Tree.merge\"}");
    assertThat(desk.asked.get(1).suffix())
        .contains("definition Tree.merge:\n=== Tree.java (lines 9-10)\nvoid merge() {\n10\t}\n")
        .endsWith("Question: where is it?");
    checked("page-0-look-1", List.of());
    assertThat(next()).isInstanceOf(Decision.Skip.class);
    checked("page-0-look-2", List.of());
    assertThat(tree.asked).as("two rounds").hasSize(2);
    assertThat(desk.asked.get(2).messages()).hasSize(5);
    Action nextPage = acted();
    assertThat(nextPage.params().path("page").asText()).isEqualTo(SECOND);
  }

  @Test
  void anAgentWithoutToolsGoesOnWithoutLooking() {
    desk.answering(reply("", LOOK));
    checked(acted(), List.of());

    assertThat(acted().params().path("page").asText()).isEqualTo(SECOND);
  }

  @Test
  void aPageThatIsTooLongForTheModelIsReadInPartsAndNoLineIsLost() {
    desk.refusingAbove(SMALL).answering(QUOTE);

    Action check = acted(LONG_PAGE);

    assertThat(desk.names).startsWith("read", "read-1", "read-2").doesNotHaveDuplicates();
    List<ModelCall> parts = desk.asked.subList(1, desk.asked.size());
    assertThat(parts)
        .allSatisfy(part -> {
          assertThat(desk.tokens(part)).isLessThanOrEqualTo(SMALL);
          assertThat(part.preamble()).isEqualTo(AnalystPrompt.PREAMBLE);
          assertThat(part.suffix())
              .startsWith("=== Long.java (lines ")
              .endsWith("Question: where is it?");
        });
    List<String> lines =
        parts.stream()
            .flatMap(part -> part.suffix().lines())
            .filter(line -> line.contains("int field"))
            .toList();
    assertThat(lines)
        .isEqualTo(Desk.LONG.text().lines().filter(line -> line.contains("int field")).toList());
    assertThat(check.params().path("page").asText()).isEqualTo(Desk.LONG.id().value());
    assertThat(desk.context.dispatcher().resolve(check.params()).path("quotes"))
        .as("those of each part")
        .hasSize(parts.size());
    checked(check, List.of(FOUND));
    assertThat(findings(next(LONG_PAGE)))
        .isEqualTo(new Findings(List.of(FOUND), List.of(), UnreadReasons.NONE, 0));
  }

  @Test
  void quotesOfAPageThatIsTooLongAreRepairedWithoutThePage() {
    desk.refusingAbove(SMALL).answering(QUOTE);
    checked(acted(LONG_PAGE), List.of(), MISSED);
    desk.names.clear();

    assertThat(acted(LONG_PAGE).actionId()).isEqualTo("page-0-repair");

    assertThat(desk.names).containsExactly("read", "read-short");
    assertThat(desk.asked.getLast().suffix()).contains("In A.java:1-5 stands");
  }

  @Test
  void aPageIsUnreadWhereTheModelTakesNotEvenItsParts() {
    desk.refusingAbove(100).answering(QUOTE);

    assertThat(next(LONG_PAGE)).isInstanceOf(Decision.Skip.class);

    assertThat(desk.names).containsExactly("read");
    assertThat(((Decision.Fail) next(LONG_PAGE)).error().message())
        .isEqualTo("the model takes 100 tokens");
  }

  @Test
  void namesThePageThatNoModelAnsweredFor() {
    assertThat(next()).isInstanceOf(Decision.Skip.class);
    desk.answering(QUOTE);
    checked(acted(), List.of());

    assertThat(findings(next()))
        .isEqualTo(new Findings(List.of(), List.of(FIRST), UnreadReasons.of(List.of("gone")), 0));
  }

  @Test
  void namesThePageWhoseQuotesCouldNotBeChecked() {
    desk.answering(QUOTE);
    checked(acted(), List.of());
    results.add(ActionResult.failed(acted().actionId(), "no page"));

    assertThat(findings(next()))
        .isEqualTo(
            new Findings(List.of(), List.of(SECOND), UnreadReasons.of(List.of("no page")), 0));
  }

  @Test
  void loadsPagesByCallsOfOneTokenThatBeginAsThoseOfQuestionsDo() {
    Assignment pages = Assignment.loading(List.of(FIRST, SECOND));
    assertThat(next(pages)).isInstanceOf(Decision.Skip.class);
    desk.answering("{");
    assertThat(next(pages)).isInstanceOf(Decision.Skip.class);
    assertThat(findings(next(pages)))
        .as("the first was not answered")
        .isEqualTo(new Findings(List.of(), List.of(FIRST), UnreadReasons.of(List.of("gone")), 0));

    custom = JsonNodeFactory.instance.objectNode();
    desk.answering(QUOTE);
    acted();
    ModelCall load = desk.asked.getFirst();
    ModelCall read = desk.asked.getLast();
    assertThat(load.preamble()).isEqualTo(read.preamble());
    assertThat(load.pages()).isEqualTo(read.pages());
    assertThat(load.reply().schema()).isEqualTo(read.reply().schema());
    assertThat(load.reply().maxTokens()).isEqualTo(1);
    assertThat(load.reply().mayBeCut()).isTrue();
    assertThat(desk.asked).as("one a page").hasSize(3);
  }

  @Test
  void failsWhereNoPageWasAnsweredFor() {
    desk.answering(QUOTE);
    results.add(ActionResult.failed(acted().actionId(), "one"));
    results.add(ActionResult.failed(acted().actionId(), "two"));

    assertThat(((Decision.Fail) next()).error().message()).isEqualTo("two");
  }

  private static String reply(String evidence, String look) {
    return "{\"evidence\":[%s],\"look\":[%s]}".formatted(evidence, look);
  }

  /** The next step of the run, after what was kept of those before. */
  private Decision next() {
    return next(TWO_PAGES);
  }

  private Decision next(Assignment assignment) {
    ActionPolicyExecutionState state =
        desk.run(assignment, iteration++, custom, results.toArray(ActionResult[]::new));
    Decision decision = policy.planStep(state);
    custom = state.custom();
    return decision;
  }

  private Action acted() {
    return acted(TWO_PAGES);
  }

  private Action acted(Assignment assignment) {
    return ((Decision.Act) next(assignment)).action();
  }

  private void checked(Action action, List<Evidence> kept, Checked.Missed... missed) {
    checked(action.actionId(), kept, missed);
  }

  private void checked(String actionId, List<Evidence> kept, Checked.Missed... missed) {
    results.add(ActionResult.succeeded(actionId, Json.of(new Checked(kept, List.of(missed)))));
  }

  private static Findings findings(Decision decision) {
    JsonNode output = ((Decision.Complete) decision).output().finalResult();
    return Json.read(output, Findings.class);
  }

  /** Tools over a tree of one method. */
  private static final class Tree implements ActionProvider {

    final List<String> asked = new CopyOnWriteArrayList<>();

    @Override
    public String name() {
      return "source";
    }

    @Override
    public String summary() {
      return "looks into a tree";
    }

    @Override
    public List<ActionDescription> actions() {
      JsonNode any = JsonNodeFactory.instance.objectNode();
      return List.of(
          new ActionDescription(
              "source.definition",
              name(),
              summary(),
              Set.of(),
              any,
              any,
              List.of(),
              List.of(),
              true,
              Effect.INTERNAL,
              true,
              false,
              false,
              Duration.ofMinutes(1)));
    }

    @Override
    public Object execute(String key, ObjectNode params, ActionContext context) {
      asked.add(key + " " + params);
      return Json.parse(
          """
          {"spans": [{"file": "Tree.java", "firstLine": 9, "lastLine": 10,
            "text": "void merge() {\\n}", "kind": "method", "page": "%s"}],
           "found": 1, "leftOut": 0, "others": {}, "note": ""}
          """
              .formatted("t".repeat(26)));
    }
  }
}
