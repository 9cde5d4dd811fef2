package dev.colony.library.research;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentException;
import dev.colony.agent.ModelCall;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.action.Ref;
import dev.colony.agent.author.ActionPolicy.PolicyContext;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.BaseActionPolicy;
import dev.colony.agent.author.Decision;
import dev.colony.agent.author.Registered;
import dev.colony.blackboard.value.Text;
import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceException.Kind;
import dev.colony.inference.InferenceReply;
import dev.colony.library.policy.PromptFit;
import dev.colony.library.research.ReaderCapability.FileTexts;
import dev.colony.library.research.ReaderCapability.Place;
import dev.colony.library.research.ReaderCapability.Places;
import dev.colony.library.research.ReaderPrompts.Passage;
import dev.colony.library.research.ReaderPrompts.Selection;
import dev.colony.library.research.ReaderPrompts.Shape;
import dev.colony.library.research.ResearchTypes.Json;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongFunction;
import java.util.stream.Stream;

/**
 * Searches for places. A model that has a large context and calls tools looks on from them by
 * itself, in a {@link ToolLoop}. Any other, and one that gives no answer so, chooses which places
 * to read, is shown their lines and answers from these: two model calls, up to four where it asks
 * for another search. Whatever the model does, what the search has found is returned. What it
 * decides on is journaled, so that a crash asks for nothing twice: the places by their action, the
 * replies by the names of their calls.
 */
@Registered(ReaderPolicy.TYPE)
final class ReaderPolicy extends BaseActionPolicy {

  static final String TYPE = "research.reader";

  private static final String SEARCH = "search";
  private static final String SEARCH_AGAIN = "search-2";

  /** Places that are returned at most. */
  private static final int MOST_HITS = 10;

  /** What models make of text, at most, for each token that is counted here. */
  private static final double VOCABULARY = 1.35;

  /** Of the context that a reply is left at most. */
  private static final double REPLY_SHARE = 0.4;

  /** Tokens of the instructions and the question. */
  private static final long FRAME_TOKENS = 450;

  /** A reading is made so short that a server as slow as the choice was has read it by then. */
  private static final double READ_SECONDS = 30;

  private static final long LEAST_TOKENS = 250;

  /** Of all prompts of a question. */
  private static final long MOST_TOKENS = 16_000;

  /** Of those before another search, which leave room for a second reading. */
  private static final long MOST_FIRST_ROUND = 10_000;

  /** Among the policy's entries: tokens of the prompts before the other search. */
  private static final String SPENT = "spent";

  ReaderPolicy(PolicyContext context) {
    super(context);
  }

  @Override
  protected Decision planStep(ActionPolicyExecutionState state) throws InterruptedException {
    Question question = Json.read(state.request().input(), Question.class);
    if (state.result(SEARCH).isEmpty()) {
      List<String> queries = new ArrayList<>(List.of(question.text()));
      question.withWordsBefore().ifPresent(queries::add);
      return search(SEARCH, queries);
    }
    if (!state.result(SEARCH).map(ActionResult::success).orElse(false)) {
      return Decision.Fail.because(state.result(SEARCH).get().error());
    }
    Places first = found(SEARCH);
    boolean again = state.result(SEARCH_AGAIN).isPresent();
    List<Place> places = first.places();
    if (state.result(SEARCH_AGAIN).filter(ActionResult::success).isPresent()) {
      Set<Place> other = new LinkedHashSet<>(found(SEARCH_AGAIN).places());
      other.removeIf(one -> first.places().stream().anyMatch(had -> same(had, one)));
      places =
          Stream.concat(other.stream().limit(ReaderCapability.FEW_PLACES), places.stream())
              .toList();
    }
    if (places.isEmpty()) {
      return answer(places, ReadAnswer.NONE, "");
    }
    ObjectNode among = JsonNodeFactory.instance.objectNode().put("places", places.size());
    among.set("hits", Json.of(hits(places)));
    agent().emit(ResearchTypes.SEARCHED, among);
    if (!again && first.tools() && first.contextTokens() >= ToolLoop.LEAST_CONTEXT) {
      Optional<ToolLoop.End> looked = ToolLoop.run(agent(), question, places);
      if (looked.isPresent()) {
        ReadAnswer read = looked.get().answer();
        return answer(citedFirst(places, read), read, looked.get().problem());
      }
    }
    long spent = state.custom().path(SPENT).asLong(0);
    Round round = new Round(question, first.contextTokens(), again, spent);
    Choice choice = choose(round, places);
    if (choice.problem().isPresent()) {
      return answer(places, ReadAnswer.NONE, choice.problem().get());
    }
    if (!again && choice.of().ids().isEmpty() && !choice.of().words().isEmpty()) {
      state.custom().set(SPENT, Json.of(choice.spent()));
      return search(SEARCH_AGAIN, choice.of().words());
    }
    List<Place> ordered = chosenFirst(places, choice.of().ids());
    Reading reading = read(round, ordered, choice);
    if (round.more() && !reading.of().words().isEmpty() && reading.spent() <= MOST_FIRST_ROUND) {
      state.custom().set(SPENT, Json.of(reading.spent()));
      return search(SEARCH_AGAIN, reading.of().words());
    }
    return answer(ordered, reading.of(), reading.problem());
  }

  /**
   * Of two at most.
   *
   * @param contextTokens that the model takes; 0 where that is not known
   * @param last whether there is no other search behind it
   * @param spent tokens of the prompts before it
   */
  private record Round(Question question, long contextTokens, boolean last, long spent) {

    /** Whether another search is possible when its places are read. */
    boolean more() {
      return !last && contextTokens >= ReaderCapability.LARGE_CONTEXT;
    }

    long selectRoom() {
      return room(spent == 0 ? ReaderPrompts.SELECT_TOKENS : ReaderPrompts.SELECT_TOKENS / 2);
    }

    long readRoom(long spentNow) {
      long left = (long) ((MOST_TOKENS - spentNow) / VOCABULARY) - FRAME_TOKENS;
      return room(Math.clamp(left, LEAST_TOKENS, ReaderPrompts.READ_TOKENS));
    }

    private long room(long most) {
      if (contextTokens == 0) {
        return most;
      }
      long left = (long) ((contextTokens * (1 - REPLY_SHARE)) / VOCABULARY) - FRAME_TOKENS;
      return Math.clamp(left, LEAST_TOKENS, most);
    }
  }

  private static Decision search(String id, List<String> queries) {
    ObjectNode params = JsonNodeFactory.instance.objectNode().put("map", "$map");
    params.set("queries", Ref.verbatim(Json.of(queries)));
    return new Decision.Act(Action.of(id, ReaderCapability.SEARCH, params));
  }

  private Places found(String action) {
    return Json.read(
        dispatcher().resolve(JsonNodeFactory.instance.textNode("$results." + action)),
        Places.class);
  }

  private static boolean same(Place one, Place other) {
    return one.file().equals(other.file()) && one.firstLine() == other.firstLine();
  }

  /**
   * What came of the choice.
   *
   * @param tokensInTime that the server reads in the time that a reading may take
   * @param spent tokens of the prompts so far
   * @param problem why the model cannot be asked; empty if it can
   */
  private record Choice(Selection of, long tokensInTime, long spent, Optional<String> problem) {}

  private Choice choose(Round round, List<Place> places) {
    try {
      InferenceReply reply =
          infer(
              "select",
              round.selectRoom(),
              room -> ReaderPrompts.select(round.question(), places, !round.last(), room));
      long prompt = reply.usage().promptTokens();
      double seconds = reply.timings().total().toMillis() / 1000.0;
      long read = Math.max(1, prompt - reply.usage().cachedTokens());
      long inTime =
          seconds <= 0
              ? Long.MAX_VALUE
              : (long) (read / seconds * READ_SECONDS / VOCABULARY) - FRAME_TOKENS;
      Selection selection = Selection.of(reply.text(), places.size());
      return new Choice(selection, inTime, round.spent() + prompt, Optional.empty());
    } catch (AgentException unanswered) {
      return new Choice(
          Selection.NONE, Long.MAX_VALUE, round.spent(), unusable(unanswered, Kind.BAD_REPLY));
    }
  }

  /**
   * What came of a reading.
   *
   * @param spent tokens of the prompts so far
   * @param problem why the model gave no reply; empty if it gave one
   */
  private record Reading(ReadAnswer of, long spent, String problem) {}

  private Reading read(Round round, List<Place> places, Choice choice) {
    int chosen = choice.of().ids().size();
    List<Place> some =
        places.subList(0, Math.min(places.size(), chosen == 0 ? ReaderPrompts.MOST_READ : chosen));
    List<Passage> passages = Passage.of(some, FileTexts.of(agent(), some));
    if (passages.isEmpty()) {
      return new Reading(ReadAnswer.NONE, choice.spent(), "");
    }
    agent()
        .emit(
            ResearchTypes.READS,
            JsonNodeFactory.instance.objectNode().put("places", passages.size()));
    long room =
        Math.min(round.readRoom(choice.spent()), Math.max(LEAST_TOKENS, choice.tokensInTime()));
    Shape[] shape = {Shape.within(passages, room)};
    try {
      InferenceReply reply =
          infer(
              "read",
              room,
              left -> {
                shape[0] = Shape.within(passages, left);
                return ReaderPrompts.read(round.question(), passages, round.more(), shape[0]);
              });
      ReadAnswer read =
          ReadAnswer.of(
              reply.text(), passages, shape[0], agent().id().persistenceId(), reply.callId());
      return new Reading(read, choice.spent() + reply.usage().promptTokens(), "");
    } catch (AgentException unanswered) {
      return new Reading(
          ReadAnswer.NONE, choice.spent(), unusable(unanswered, Kind.BAD_REPLY).orElse(""));
    }
  }

  /**
   * A prompt that is refused as too long is made shorter.
   *
   * @param within makes the call with so many tokens of places at most; 0 for the least
   */
  private InferenceReply infer(String name, long room, LongFunction<ModelCall> within) {
    long shown =
        PromptFit.tokens(agent(), within.apply(room)) - PromptFit.tokens(agent(), within.apply(0));
    return PromptFit.infer(
        agent(), name, less -> within.apply(less == 0 ? room : Math.max(0, shown - less)));
  }

  /** Why a model cannot be asked again; empty for failures of some kinds. */
  static Optional<String> unusable(AgentException unanswered, Kind... other) {
    boolean usable =
        unanswered.getCause() instanceof InferenceException failure
            && List.of(other).contains(failure.kind());
    return usable ? Optional.empty() : Optional.of(Text.message(unanswered));
  }

  private static List<Place> chosenFirst(List<Place> places, List<Integer> ids) {
    Set<Place> all = new LinkedHashSet<>();
    ids.forEach(id -> all.add(places.get(id - 1)));
    all.addAll(places);
    return List.copyOf(all);
  }

  private static List<Place> citedFirst(List<Place> places, ReadAnswer answer) {
    return places.stream()
        .sorted(Comparator.comparing(one -> answer.citations().stream().noneMatch(one.hit()::has)))
        .toList();
  }

  private static List<Answer.Hit> hits(List<Place> places) {
    return places.stream().limit(MOST_HITS).map(Place::hit).toList();
  }

  private static Decision answer(List<Place> places, ReadAnswer read, String problem) {
    return Decision.Complete.with(Json.of(Answer.of(read, hits(places), problem)));
  }
}
