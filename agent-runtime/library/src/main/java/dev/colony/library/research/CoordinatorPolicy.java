package dev.colony.library.research;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.action.Ref;
import dev.colony.agent.author.ActionPolicy.PolicyContext;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.BaseActionPolicy;
import dev.colony.agent.author.Decision;
import dev.colony.agent.author.Param.Range;
import dev.colony.agent.author.Registered;
import dev.colony.library.research.CoordinatorCapability.Consultation;
import dev.colony.library.research.CoordinatorPrompts.CoordinatorCalls;
import dev.colony.library.research.CoordinatorPrompts.Gap;
import dev.colony.library.research.CoordinatorPrompts.Judgement;
import dev.colony.library.research.ResearchTypes.Json;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Asks the model for words to search for, routes the question, consults the analysts, has the model
 * judge what they quote, and, where it sees a gap, does so again about pages that were not read;
 * then it has the answer composed. A round is two iterations, one for the routing and one for the
 * consultation, so that what was read before a crash is not read again.
 */
@Registered(CoordinatorPolicy.TYPE)
final class CoordinatorPolicy extends BaseActionPolicy {

  static final String TYPE = "research.coordinator";

  private static final String ROUTE = "route";
  private static final String CONSULT = "consult";
  private static final String WORDS = "words";
  private static final String GAPS = "gaps";

  /**
   * How far it goes.
   *
   * @param rounds how often the analysts are asked at most
   * @param passages how many of their quotes the model judges
   */
  record Args(@Range(min = 1, max = 10) int rounds, @Range(min = 1, max = 100) int passages) {

    static final Args DEFAULT = new Args(3, 30);
  }

  private final Args args;

  CoordinatorPolicy(PolicyContext context, Args args) {
    super(context);
    this.args = args;
  }

  @Override
  protected Decision planStep(ActionPolicyExecutionState state) {
    Question question = Json.read(state.request().input(), Question.class);
    if (state.history().isEmpty()) {
      return firstRoute(state, question);
    }
    ActionResult last = state.history().getLast().result();
    int round = 1;
    while (state.result(id(CONSULT, round)).isPresent()) {
      round++;
    }
    boolean routed = state.result(id(ROUTE, round)).isPresent();
    if (!last.success()) {
      // What earlier rounds have found is an answer without the later one.
      return round == 1 || round == 2 && !routed
          ? Decision.Fail.because(last.error())
          : conclude(question, consulted(state, round), gaps(state), round - 1);
    }
    return routed ? consult(state, question, round) : judged(state, question, round - 1);
  }

  private Decision firstRoute(ActionPolicyExecutionState state, Question question) {
    List<String> words = CoordinatorCalls.words(agent(), question.inContext(), question.map());
    state.custom().set(WORDS, Json.of(words));
    ObjectNode params = params().put("text", "$text").put("map", "$map");
    List<String> queries =
        Stream.concat(words.stream(), question.withWordsBefore().stream()).toList();
    params.set("queries", Ref.verbatim(Json.of(queries)));
    return act(id(ROUTE, 1), CoordinatorCapability.ROUTE, params);
  }

  /** References where they can be: a question may begin with a dollar, and routes may be long. */
  private Decision consult(ActionPolicyExecutionState state, Question question, int round) {
    ObjectNode params =
        params()
            .put("question", "$text")
            .put("routes", result(id(ROUTE, round)))
            .put("map", "$map");
    if (!question.earlier().isEmpty()) {
      params.set("question", Ref.verbatim(JsonNodeFactory.instance.textNode(question.inContext())));
    }
    JsonNode words = state.custom().path(WORDS);
    if (!words.isEmpty()) {
      params.set("words", Ref.verbatim(words));
    }
    List<Gap> gaps = gaps(state);
    if (!gaps.isEmpty()) {
      params.set("open", Ref.verbatim(JsonNodeFactory.instance.textNode(joined(gaps))));
    }
    return act(id(CONSULT, round), CoordinatorCapability.CONSULT, params);
  }

  /** Has the model judge what the rounds so far have found; then the next round, or the answer. */
  private Decision judged(ActionPolicyExecutionState state, Question question, int rounds) {
    Consultation found = consulted(state, rounds + 1);
    boolean more = rounds < args.rounds();
    List<Evidence> passages = question.withEvidenceBefore(found.evidence());
    Judgement judgement = CoordinatorCalls.judged(agent(), question.inContext(), passages, more);
    List<Gap> gaps = judgement.gaps();
    state.custom().set(GAPS, Json.of(gaps));
    if (!more || gaps.isEmpty()) {
      return composed(question, found, judgement.of(passages), gaps, rounds);
    }
    List<String> queries = gaps.stream().flatMap(gap -> gap.queries().stream()).toList();
    state.custom().set(WORDS, Json.of(queries));
    ObjectNode params = params();
    params.set("text", Ref.verbatim(JsonNodeFactory.instance.textNode(joined(gaps))));
    params.put("map", "$map");
    params.set("queries", Ref.verbatim(Json.of(queries)));
    Set<String> known = new LinkedHashSet<>(found.read());
    known.addAll(found.unread());
    params.set("without", Json.of(known));
    return act(id(ROUTE, rounds + 1), CoordinatorCapability.ROUTE, params);
  }

  /** The answer from what was found, where the last round has failed. */
  private Decision conclude(Question question, Consultation found, List<Gap> gaps, int rounds) {
    return composed(question, found, question.withEvidenceBefore(found.evidence()), gaps, rounds);
  }

  private Decision composed(
      Question question, Consultation found, List<Evidence> passages, List<Gap> gaps, int rounds) {
    return Decision.Complete.with(
        Json.of(
            Composing.of(
                agent(),
                question.inContext(),
                found,
                passages,
                gaps.stream().map(Gap::question).toList(),
                rounds)));
  }

  /** What all consultations before a round have found that have succeeded. */
  private Consultation consulted(ActionPolicyExecutionState state, int before) {
    Consultation all = null;
    for (int round = 1; round < before; round++) {
      if (state.result(id(CONSULT, round)).filter(ActionResult::success).isPresent()) {
        Consultation one =
            Json.read(
                dispatcher().resolve(JsonNodeFactory.instance.textNode(result(id(CONSULT, round)))),
                Consultation.class);
        all = all == null ? one : all.plus(one, args.passages());
      }
    }
    return all;
  }

  private static List<Gap> gaps(ActionPolicyExecutionState state) {
    List<Gap> gaps = new ArrayList<>();
    state.custom().path(GAPS).forEach(gap -> gaps.add(Json.read(gap, Gap.class)));
    return gaps;
  }

  private static String joined(List<Gap> gaps) {
    return String.join(" ", gaps.stream().map(Gap::question).toList());
  }

  private static String id(String action, int round) {
    return round == 1 ? action : action + "-" + round;
  }

  private static ObjectNode params() {
    return JsonNodeFactory.instance.objectNode();
  }

  private static String result(String actionId) {
    return "$results." + actionId;
  }

  private static Decision act(String id, String key, JsonNode params) {
    return new Decision.Act(Action.of(id, key, params));
  }
}
