package dev.colony.library.research;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentException;
import dev.colony.agent.ModelCall;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.Action.ActionCall;
import dev.colony.agent.action.ActionDescription;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.action.Ref;
import dev.colony.agent.author.ActionPolicy.PolicyContext;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.BaseActionPolicy;
import dev.colony.agent.author.Decision;
import dev.colony.agent.author.Param.Range;
import dev.colony.agent.author.Registered;
import dev.colony.inference.ChatMessage;
import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceReply;
import dev.colony.library.policy.PromptFit;
import dev.colony.library.research.AnalystCapability.Checked;
import dev.colony.library.research.AnalystPrompt.AnalystReply;
import dev.colony.library.research.AnalystPrompt.Assignment;
import dev.colony.library.research.AnalystPrompt.Look;
import dev.colony.library.research.AnalystPrompt.Look.PageParts;
import dev.colony.library.research.Answer.UnreadReasons;
import dev.colony.library.research.CoordinatorCapability.Consultation.Findings;
import dev.colony.library.research.ResearchTypes.Json;
import dev.colony.vcm.PageId;
import dev.colony.vcm.mapping.PageText;
import dev.colony.vcm.mapping.PageText.SegmentLines;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * Reads its pages one after another: an iteration a turn, which is one model call and one check of
 * what it quotes. A page has one turn; one more where quotes stand nowhere, to have them put right;
 * and more where the model wants to see something else of the tree, which is carried out before.
 * The first turn about a page that is too long for the model is a call for each of several parts.
 */
@Registered(AnalystPolicy.TYPE)
final class AnalystPolicy extends BaseActionPolicy {

  static final String TYPE = "research.analyst";

  private static final String UNREAD = "unread";
  private static final String READING = "reading";
  private static final String DROPPED = "dropped";
  private static final String PAGE = "page-";
  private static final int MOST_SHOWN_PAGES = 16;

  /** Of a page, and of each part of it; a page that has more is not read. */
  private static final int MOST_PARTS = 16;

  /** How often what is too long is split, the page included. */
  private static final int MOST_SPLITS = 2;

  private static final String CALL = "read";
  private static final String NOT_SHOWN = "[the part that you have read is too long to be shown]";

  /**
   * How far it goes beyond its pages.
   *
   * @param rounds how often a page's reader is shown what it wants to see
   * @param looks how much at a time
   * @param lookChars characters of one such result that it is shown
   */
  record Args(
      @Range(min = 0, max = 10) int rounds,
      @Range(min = 1, max = 20) int looks,
      @Range(min = 200, max = 100_000) int lookChars) {

    static final Args DEFAULT = new Args(2, 3, 6000);
  }

  private final Args args;

  AnalystPolicy(PolicyContext context, Args args) {
    super(context);
    this.args = args;
  }

  @Override
  protected Decision planStep(ActionPolicyExecutionState state) {
    Assignment assignment = Json.read(state.request().input(), Assignment.class);
    JsonNode kept = state.custom().path(READING);
    Reading reading = kept.isObject() ? Json.read(kept, Reading.class) : Reading.NONE;
    if (!reading.turns().isEmpty()) {
      Optional<Decision> further = further(state, assignment, reading);
      if (further.isPresent()) {
        return further.get();
      }
      reading = reading.next();
    }
    if (reading.page() == assignment.pages().size()) {
      return conclude(state, assignment);
    }
    return assignment.loads()
        ? load(state, assignment, reading)
        : turn(state, assignment, reading, Reading.Kind.READ, "");
  }

  /** Has the next page computed; nothing is kept of what the model says. */
  private Decision load(ActionPolicyExecutionState state, Assignment assignment, Reading reading) {
    String page = assignment.pages().get(reading.page());
    try {
      agent().inference().infer("load", AnalystPrompt.loading(new PageId(page), assignment));
    } catch (AgentException unanswered) {
      // A reply that is no JSON was made behind the page all the same.
      if (!(unanswered.getCause() instanceof InferenceException failure)
          || failure.kind() != InferenceException.Kind.BAD_REPLY) {
        state.custom().withObject("/" + UNREAD).put(page, unanswered.getMessage());
      }
    }
    state.custom().set(READING, Json.of(reading.next()));
    return new Decision.Skip();
  }

  /** What there is still to do about a page that was read; empty where it is done with. */
  private Optional<Decision> further(
      ActionPolicyExecutionState state, Assignment assignment, Reading reading) {
    Reading.Kind last = reading.turns().getLast().kind();
    Optional<Checked> checked = checked(state, reading.checkId());
    List<Checked.Missed> missed = checked.map(Checked::missed).orElse(List.of());
    if (last == Reading.Kind.READ && !missed.isEmpty()) {
      return Optional.of(
          turn(
              state,
              assignment,
              reading,
              Reading.Kind.REPAIR,
              AnalystPrompt.repair(missed, assignment.question())));
    }
    int lost =
        last == Reading.Kind.REPAIR
            ? checked(state, reading.checkId(Reading.Kind.READ, 0))
                .orElseThrow()
                .lost(checked.map(Checked::kept).orElse(List.of()))
            : missed.size();
    if (checked.isEmpty() && last != Reading.Kind.READ) {
      lost += AnalystReply.of(reading.turns().getLast().reply()).quotes().size();
    }
    if (lost > 0) {
      state.custom().put(DROPPED, state.custom().path(DROPPED).asInt() + lost);
    }
    List<Look> looks = reading.looks().stream().filter(this::possible).limit(args.looks()).toList();
    if (checked.isEmpty()
        || looks.isEmpty()
        || reading.looked() >= args.rounds()
        || assignment.map().isEmpty()) {
      return Optional.empty();
    }
    StringBuilder results = new StringBuilder();
    Set<String> pages = new LinkedHashSet<>(reading.pages());
    for (int i = 0; i < looks.size(); i++) {
      results.append(carriedOut(looks.get(i), assignment.map(), reading, i, pages));
    }
    return Optional.of(
        turn(
            state,
            assignment,
            reading.showing(pages.stream().limit(MOST_SHOWN_PAGES).toList()),
            Reading.Kind.LOOK,
            AnalystPrompt.shown(
                results.toString(), args.rounds() - reading.looked() - 1, assignment.question())));
  }

  /** Whether the agent can do it. */
  private boolean possible(Look look) {
    return dispatcher().groups().stream()
        .flatMap(group -> group.actions().stream())
        .map(ActionDescription::key)
        .anyMatch(look.key()::equals);
  }

  private String carriedOut(Look look, String map, Reading reading, int number, Set<String> pages) {
    String id = "look-%d-%d-%d".formatted(reading.page(), reading.looked(), number);
    ActionResult result =
        dispatcher().perform(Action.of(id, look.key(), Ref.verbatim(look.params(map))));
    if (!result.success()) {
      return look.title() + ": " + result.error() + "\n\n";
    }
    JsonNode found = dispatcher().resolve(JsonNodeFactory.instance.textNode("$results." + id));
    pages.addAll(Look.pages(found));
    return look.title() + ":\n" + Look.shown(found, args.lookChars()) + "\n";
  }

  private Decision turn(
      ActionPolicyExecutionState state,
      Assignment assignment,
      Reading reading,
      Reading.Kind kind,
      String asked) {
    String page = assignment.pages().get(reading.page());
    List<InferenceReply> replies;
    try {
      replies = replies(state, assignment, reading, kind, asked);
    } catch (AgentException unanswered) {
      // A page that no model answers for does not end the run: the others may hold the answer.
      if (kind == Reading.Kind.READ) {
        state.custom().withObject("/" + UNREAD).put(page, unanswered.getMessage());
      } else if (kind == Reading.Kind.REPAIR) {
        int missed = checked(state, reading.checkId()).orElseThrow().missed().size();
        state.custom().put(DROPPED, state.custom().path(DROPPED).asInt() + missed);
      }
      state.custom().set(READING, Json.of(reading.next()));
      return new Decision.Skip();
    }
    String reply = AnalystReply.joined(replies.stream().map(InferenceReply::text).toList());
    AnalystReply said = AnalystReply.of(reply);
    List<Look> wanted = kind == Reading.Kind.REPAIR ? reading.looks() : said.looks();
    Reading after = reading.after(kind, asked, reply, wanted);
    state.custom().set(READING, Json.of(after));
    ObjectNode params = JsonNodeFactory.instance.objectNode();
    params.put("page", page);
    params.put("modelCall", replies.getLast().callId());
    params.set("quotes", Ref.verbatim(Json.of(said.quotes())));
    if (!after.pages().isEmpty()) {
      params.set("shown", Json.of(after.pages()));
    }
    Action check = Action.of(after.checkId(), AnalystCapability.CHECK_QUOTES, params);
    if (kind == Reading.Kind.LOOK) {
      // An iteration that has performed several actions performs this one, too.
      dispatcher().perform(check);
      return new Decision.Skip();
    }
    return new Decision.Act(check);
  }

  /** One reply, but for a page that is too long for the model: that is read in parts. */
  private List<InferenceReply> replies(
      ActionPolicyExecutionState state,
      Assignment assignment,
      Reading reading,
      Reading.Kind kind,
      String asked) {
    PageId page = new PageId(assignment.pages().get(reading.page()));
    ModelCall whole = AnalystPrompt.of(page, assignment, reading, asked);
    try {
      return List.of(agent().inference().infer(CALL, whole));
    } catch (AgentException refused) {
      if (!PromptFit.tooLong(refused)) {
        throw refused;
      }
      if (kind != Reading.Kind.READ) {
        ModelCall without = AnalystPrompt.of(NOT_SHOWN, assignment, reading, asked);
        return List.of(agent().inference().infer(CALL + "-short", without));
      }
      List<SegmentLines> segments =
          PageText.segments(agent().pages().pages(List.of(page)).getFirst());
      Function<String, ModelCall> calls =
          part -> AnalystPrompt.of(part, assignment, reading, asked);
      List<InferenceReply> replies = new ArrayList<>();
      Optional<AgentException> lost =
          parts(new Refused(CALL, whole, refused, segments, 1), calls, replies);
      if (replies.isEmpty()) {
        throw lost.orElse(refused);
      }
      lost.ifPresent(
          why -> state.custom().withObject("/" + UNREAD).put(page.value(), why.getMessage()));
      return replies;
    }
  }

  /**
   * A call about lines that the model has refused as too long.
   *
   * @param depth how often the page is split to have parts of these lines
   */
  private record Refused(
      String name, ModelCall call, AgentException why, List<SegmentLines> lines, int depth) {}

  /** Asks about parts of the lines; gives why one was not answered, empty where all were. */
  private Optional<AgentException> parts(
      Refused refused, Function<String, ModelCall> calls, List<InferenceReply> replies) {
    long tokens = PromptFit.tokens(agent(), refused.call());
    long others = tokens - PromptFit.tokens(PageParts.text(refused.lines()));
    long room = PromptFit.room(refused.why(), tokens, refused.call().reply().maxTokens());
    List<List<SegmentLines>> parts = PageParts.of(refused.lines(), room - others);
    if (parts.size() == 1 || parts.size() > MOST_PARTS || refused.depth() > MOST_SPLITS) {
      return Optional.of(refused.why());
    }
    Optional<AgentException> lost = Optional.empty();
    for (int i = 0; i < parts.size(); i++) {
      String name = refused.name() + "-" + (i + 1);
      List<SegmentLines> part = parts.get(i);
      ModelCall call = calls.apply(PageParts.text(part));
      try {
        replies.add(agent().inference().infer(name, call));
      } catch (AgentException failure) {
        Optional<AgentException> of =
            PromptFit.tooLong(failure)
                ? parts(new Refused(name, call, failure, part, refused.depth() + 1), calls, replies)
                : Optional.of(failure);
        lost = of.isPresent() ? of : lost;
      }
    }
    return lost;
  }

  private Optional<Checked> checked(ActionPolicyExecutionState state, String id) {
    return state
        .result(id)
        .filter(ActionResult::success)
        .map(done ->
            Json.read(
                dispatcher().resolve(JsonNodeFactory.instance.textNode("$results." + id)),
                Checked.class));
  }

  private Decision conclude(ActionPolicyExecutionState state, Assignment assignment) {
    List<Evidence> evidence = new ArrayList<>();
    Map<String, String> unread = new TreeMap<>();
    for (ActionCall call : state.history()) {
      String id = call.action().actionId();
      if (!id.startsWith(PAGE)) {
        continue;
      }
      Optional<Checked> checked = checked(state, id);
      if (checked.isPresent()) {
        evidence.addAll(checked.get().kept());
      } else if (id.indexOf('-', PAGE.length()) < 0) {
        int number = Integer.parseInt(id.substring(PAGE.length()));
        unread.put(assignment.pages().get(number), call.result().error());
      }
    }
    for (Map.Entry<String, JsonNode> page : state.custom().path(UNREAD).properties()) {
      unread.put(page.getKey(), page.getValue().asText());
    }
    List<String> pages = assignment.pages().stream().filter(unread::containsKey).toList();
    if (evidence.isEmpty() && !pages.isEmpty() && pages.size() == assignment.pages().size()) {
      return Decision.Fail.because(unread.get(pages.getLast()));
    }
    evidence.sort(Evidence.STRONGEST_FIRST);
    return Decision.Complete.with(
        Json.of(
            new Findings(
                evidence,
                pages,
                UnreadReasons.of(pages.stream().map(unread::get).toList()),
                state.custom().path(DROPPED).asInt())));
  }

  /**
   * How far an analyst is with its pages: the turns that it has had with a model about one of them.
   * Durable between the steps of a run. Immutable.
   *
   * @param page the index of the page
   * @param turns about it
   * @param looks what the model wants to see and has not been shown
   * @param looked how often it has been shown something
   * @param pages that it was shown parts of, besides its own
   */
  record Reading(
      int page, List<Reading.Turn> turns, List<Look> looks, int looked, List<String> pages) {

    /** Why a model is asked. */
    enum Kind {
      READ,
      REPAIR,
      LOOK
    }

    /**
     * A question and its reply.
     *
     * @param told what the model was told; empty for the first turn of a page, which is always the
     *     same
     * @param reply of the model
     */
    record Turn(Kind kind, String told, String reply) {}

    static final Reading NONE = new Reading(0, List.of(), List.of(), 0, List.of());

    Reading {
      turns = turns == null ? List.of() : List.copyOf(turns);
      looks = looks == null ? List.of() : List.copyOf(looks);
      pages = pages == null ? List.of() : List.copyOf(pages);
    }

    Reading next() {
      return new Reading(page + 1, List.of(), List.of(), 0, List.of());
    }

    Reading after(Kind kind, String told, String reply, List<Look> wanted) {
      List<Turn> all = new ArrayList<>(turns);
      all.add(new Turn(kind, told, reply));
      return new Reading(page, all, wanted, looked + (kind == Kind.LOOK ? 1 : 0), pages);
    }

    Reading showing(List<String> more) {
      return new Reading(page, turns, looks, looked, more);
    }

    /** Names the check of the last turn's quotes within the run. */
    String checkId() {
      return checkId(turns.getLast().kind(), looked);
    }

    String checkId(Kind kind, int look) {
      return switch (kind) {
        case READ -> "page-" + page;
        case REPAIR -> "page-" + page + "-repair";
        case LOOK -> "page-" + page + "-look-" + look;
      };
    }

    /**
     * The conversation behind the page: the first request, then what was said, then what is asked.
     */
    List<ChatMessage> messages(String first, String asked) {
      List<ChatMessage> messages = new ArrayList<>();
      messages.add(new ChatMessage.User(first));
      for (int i = 0; i < turns.size(); i++) {
        if (i > 0) {
          messages.add(new ChatMessage.User(turns.get(i).told()));
        }
        messages.add(new ChatMessage.Assistant(turns.get(i).reply(), List.of()));
      }
      if (!turns.isEmpty()) {
        messages.add(new ChatMessage.User(asked));
      }
      return messages;
    }
  }
}
