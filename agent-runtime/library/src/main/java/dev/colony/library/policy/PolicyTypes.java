package dev.colony.library.policy;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.agent.action.Action.ActionCall;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.Registered;
import dev.colony.agent.author.TypeProvider;
import dev.colony.library.policy.PlanningContext.RenderedStream;
import dev.colony.library.policy.PromptLayers.PromptLayer;
import dev.colony.library.policy.PromptLayers.PromptLayer.Expression;
import dev.colony.library.policy.PromptSection.Part;
import dev.colony.library.policy.PromptSection.SectionRoom;
import dev.colony.library.policy.StreamFilters.ActionKeySubstringFilter;
import dev.colony.library.policy.StreamFilters.AllOf;
import dev.colony.library.policy.StreamFilters.AnyOf;
import dev.colony.library.policy.StreamFilters.EventContextKeyFilter;
import dev.colony.library.policy.StreamFilters.Not;
import dev.colony.library.policy.StreamFilters.SuccessfulActionFilter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The policies, stream filters, formatters and prompt layers that ship with the runtime. */
public final class PolicyTypes implements TypeProvider {

  /** The name of a stock layer follows it in the name of its type. */
  static final String PREFIX = "prompt.";

  /** In the order of a prompt. */
  static final List<String> NAMES =
      List.of(
          "role",
          "rules",
          "goals",
          "constraints",
          "input",
          "history",
          "stream",
          "memory",
          "variables",
          "background",
          "approvals",
          "news",
          "left",
          "problem",
          "ask");

  /** What reads on where something was cut. */
  public static final String READ_ON = "context_fetch";

  /** Characters of the input's section for each of its tokens, shared by the fields. */
  private static final int INPUT_CHARS_PER_TOKEN = 3;

  private static final String RULES =
      """
      ## How you work
      You are an agent. You act by calling tools: each of your actions is one. You are shown what \
      your actions came to, and then decide again.
      Reply with at least one call, and say in a sentence or two why. Calls are carried out in \
      their order; when one does not succeed, you are asked again before the next. When nothing is \
      left to be done after an action, call `complete` or `idle` behind it in the same reply.
      Wherever a value stands you may give a reference in its place, a text of its own: \
      "$results.ID" or "$results.ID.path" is what an earlier action gave, "$NAME" or "$NAME.path" a \
      variable, "$children.NAME.KEY" what an agent that works for you has exported, \
      "$global.CAPABILITY.path" what a capability lets be read, "$shared.KEY" an entry of your part \
      of the blackboard. A text that begins with $ and is no reference is written with $$.\
      """;

  private static final String CUT =
      "\nWhat is marked like [600 of 3,007 characters] is cut; `" + READ_ON + "` shows more of it.";

  @Override
  public void register(Types types) {
    types.add(EventDrivenActionPolicy.class);
    types.add(MinimalActionPolicy.class);
    types.add(ScriptedActionPolicy.class);
    types.add(EventContextKeyFilter.class);
    types.add(ActionKeySubstringFilter.class);
    types.add(SuccessfulActionFilter.class);
    types.add(AnyOf.class);
    types.add(AllOf.class);
    types.add(Not.class);
    types.add(ConversationFormatter.class);
    types.add(JSONStreamFormatter.class);
    types.add(RoleLayer.class);
    types.add(RulesLayer.class);
    types.add(GoalsLayer.class);
    types.add(ConstraintsLayer.class);
    types.add(InputLayer.class);
    types.add(HistoryLayer.class);
    types.add(StreamLayer.class);
    types.add(MemoryLayer.class);
    types.add(VariablesLayer.class);
    types.add(BackgroundLayer.class);
    types.add(ApprovalsLayer.class);
    types.add(NewsLayer.class);
    types.add(LeftLayer.class);
    types.add(ProblemLayer.class);
    types.add(AskLayer.class);
  }

  @Registered(value = "prompt.role", summary = "Who the agent is and how it works.")
  static final class RoleLayer extends Expression {
    RoleLayer() {
      super(Part.CONSTANT, (context, room) -> room.text("## Your role", context.role()));
    }
  }

  @Registered(value = "prompt.rules", summary = "How the agent acts and refers to values.")
  static final class RulesLayer extends Expression {
    RulesLayer() {
      super(Part.CONSTANT, (context, room) -> room.whole(readsOn(context) ? RULES + CUT : RULES));
    }
  }

  @Registered(value = "prompt.goals", summary = "What is to be reached.")
  static final class GoalsLayer extends Expression {
    GoalsLayer() {
      super(Part.GIVEN, (context, room) -> room.bullets("## Goals", context.goals()));
    }
  }

  @Registered(value = "prompt.constraints", summary = "What is to be kept to.")
  static final class ConstraintsLayer extends Expression {
    ConstraintsLayer() {
      super(Part.GIVEN, (context, room) -> room.bullets("## Constraints", context.constraints()));
    }
  }

  @Registered(value = "prompt.input", summary = "What else the run was given.")
  static final class InputLayer extends Expression {
    InputLayer() {
      super(Part.GIVEN, (context, room) -> room.bullets("## Input", input(context, room)));
    }
  }

  @Registered(value = "prompt.stream", summary = "The consciousness streams, each a section.")
  static final class StreamLayer extends Expression {
    StreamLayer() {
      super(
          Part.GROWING,
          (context, room) ->
              context.streams().stream().flatMap(stream -> section(stream, room)).toList());
    }
  }

  @Registered(value = "prompt.memory", summary = "What comes to mind.")
  static final class MemoryLayer extends Expression {
    MemoryLayer() {
      super(Part.CHANGING, (context, room) -> room.bullets("## Memory", context.memories()));
    }
  }

  @Registered(value = "prompt.variables", summary = "The variables that may be referred to.")
  static final class VariablesLayer extends Expression {
    VariablesLayer() {
      super(
          Part.CHANGING, (context, room) -> room.bullets("## Variables", variables(context, room)));
    }
  }

  @Registered(value = "prompt.background", summary = "The processes that run by themselves.")
  static final class BackgroundLayer extends Expression {
    BackgroundLayer() {
      super(
          Part.CHANGING,
          (context, room) ->
              room.bullets(
                  "## Running by themselves, not to be called",
                  context.background().stream()
                      .map(one ->
                          "%s (%s): %s".formatted(one.name(), one.capability(), one.effect()))
                      .toList()));
    }
  }

  @Registered(value = "prompt.approvals", summary = "What people approved or denied.")
  static final class ApprovalsLayer extends Expression {
    ApprovalsLayer() {
      super(
          Part.CHANGING,
          (context, room) -> room.bullets("## What people have said", approvals(context, room)));
    }
  }

  @Registered(value = "prompt.news", summary = "New events that no stream shows.")
  static final class NewsLayer extends Expression {
    NewsLayer() {
      super(Part.CHANGING, (context, room) -> room.bullets("## New events", news(context, room)));
    }
  }

  @Registered(value = "prompt.left", summary = "What is left of the run's time and budget.")
  static final class LeftLayer extends Expression {
    LeftLayer() {
      super(
          Part.CHANGING,
          (context, room) -> room.bullets("## What you may still use", context.left()));
    }
  }

  @Registered(value = "prompt.problem", summary = "What went wrong in the previous iteration.")
  static final class ProblemLayer extends Expression {
    ProblemLayer() {
      super(
          Part.CHANGING,
          (context, room) ->
              room.text(
                  "## What went wrong in the previous iteration",
                  String.join("\n", context.problems())));
    }
  }

  @Registered(value = "prompt.ask", summary = "Asks for the next actions.")
  static final class AskLayer extends Expression {
    AskLayer() {
      super(
          Part.CHANGING,
          (context, room) ->
              room.whole(
                  "## Your answer\nWhat do you do next? The first action of your reply is named "
                      + context.nextActionId()
                      + "."));
    }
  }

  private static boolean readsOn(PlanningContext context) {
    return context.groups().stream()
        .flatMap(group -> group.actions().stream())
        .anyMatch(action -> action.key().equals(READ_ON));
  }

  /** The fields share the section: the short ones are shown in full, the long ones are cut. */
  private static List<String> input(PlanningContext context, SectionRoom room) {
    int share = room.tokens() * INPUT_CHARS_PER_TOKEN / Math.max(1, context.input().size());
    int most = Math.max(share, room.previewChars());
    return context.input().properties().stream()
        .map(one -> one.getKey() + ": " + JsonPreview.whole(one.getValue(), most))
        .toList();
  }

  /** The first line is the heading where it reads like one; of the others the last are kept. */
  private static Stream<PromptSection> section(RenderedStream stream, SectionRoom room) {
    int line = stream.text().indexOf('\n');
    boolean headed = stream.text().startsWith("#") && line > 0;
    return room
        .named(room.name() + ":" + stream.name())
        .newest(
            headed ? stream.text().substring(0, line) : "",
            headed ? stream.text().substring(line + 1) : stream.text())
        .stream();
  }

  private static List<String> variables(PlanningContext context, SectionRoom room) {
    return new TreeMap<>(context.variables())
        .entrySet().stream()
            .map(one ->
                "$" + one.getKey() + ": " + JsonPreview.of(one.getValue(), room.previewChars() / 4))
            .toList();
  }

  private static List<String> approvals(PlanningContext context, SectionRoom room) {
    return context.approvals().stream()
        .map(one ->
            "%s %s by %s%s"
                .formatted(
                    named(context, one.request()),
                    one.granted() ? "approved" : "denied",
                    one.by(),
                    one.note().isEmpty() ? "" : ": " + one.note()))
        .map(line -> JsonPreview.cut(line, room.previewChars()))
        .toList();
  }

  /** A request for an action is its key and a number in hexadecimal digits. */
  private static String named(PlanningContext context, String request) {
    int end = request.lastIndexOf('-');
    return end < 0
        ? context.names().in(request)
        : context.names().in(request.substring(0, end)) + request.substring(end);
  }

  private static List<String> news(PlanningContext context, SectionRoom room) {
    int each =
        Math.max(room.previewChars(), room.tokens() * 2 / Math.max(1, context.news().size()));
    return context.news().stream().map(one -> JsonPreview.whole(one, each)).toList();
  }

  /**
   * The run's actions, the oldest first, each with its parameters and its outcome: the newest in
   * full, as far as two thirds of the section go, those before them as previews, and the oldest,
   * where they do not fit, left out.
   *
   * <p>Where full lines end and previews begin moves by many actions at once and then stands for as
   * many more; which previews fit depends on that place alone. So the section grows at its end
   * between two such moves, and a server's prefix cache serves all the rest. No more of a history
   * is read than is shown.
   */
  @Registered(value = "prompt.history", summary = "The run's actions and what they came to.")
  static final class HistoryLayer implements PromptLayer {

    private static final String HEADING = "## Actions so far";
    private static final int NOTE_TOKENS = 16;
    private static final int CHARS_PER_TOKEN = 2;

    @Override
    public Part part() {
      return Part.GROWING;
    }

    @Override
    public List<PromptSection> render(PlanningContext context, SectionRoom room) {
      List<ActionCall> history = context.history();
      if (history.isEmpty()) {
        return List.of();
      }
      int fullTokens = Math.max(1, room.tokens() * 2 / 3 - TextBudget.count(HEADING) - NOTE_TOKENS);
      int fullChars = Math.max(room.previewChars(), room.tokens() * CHARS_PER_TOKEN);
      Deque<String> full = last(context, history.size(), fullChars, fullTokens);
      if (full.isEmpty()) {
        String newest = line(context, history.getLast(), fullChars);
        full.add(new TextBudget(fullTokens).cut(newest).text());
      }
      int first = history.size() - full.size();
      int from = stable(first, history.size());
      for (int i = first; i < from; i++) {
        full.removeFirst();
      }
      Deque<String> previews = last(context, from, room.previewChars(), room.tokens() / 3);
      int leftOut = from - previews.size();
      List<String> lines = new ArrayList<>();
      if (leftOut > 0) {
        lines.add("[" + leftOut + " earlier ones do not fit]");
      }
      lines.addAll(previews);
      lines.addAll(full);
      TextBudget.Fitted fitted = room.budget().cut(HEADING + "\n" + String.join("\n", lines));
      return List.of(
          new PromptSection(
              room.name(),
              room.part(),
              fitted.text(),
              TextBudget.count(fitted.text()),
              room.tokens(),
              leftOut > 0 || fitted.cut()));
    }

    /** As many of the actions before a place as fit, the oldest first. */
    private static Deque<String> last(
        PlanningContext context, int before, int mostChars, int tokens) {
      Deque<String> lines = new ArrayDeque<>();
      int used = 0;
      for (int i = before - 1; i >= 0; i--) {
        String line = line(context, context.history().get(i), mostChars);
        used += TextBudget.count(line) + 1;
        if (used > tokens) {
          break;
        }
        lines.addFirst(line);
      }
      return lines;
    }

    /**
     * The first of what is shown in full, moved up to a multiple of a power of two that is at most
     * half of it: it stays where it is while as many more come.
     */
    private static int stable(int first, int end) {
      if (first == 0) {
        return 0;
      }
      int step = Integer.highestOneBit(Math.max(1, (end - first) / 2));
      return Math.min(end - 1, Math.ceilDiv(first, step) * step);
    }

    private static String line(PlanningContext context, ActionCall call, int mostChars) {
      ActionResult result = call.result();
      String came =
          result.success()
              ? JsonPreview.whole(result.output(), mostChars)
              : JsonPreview.whole(TextNode.valueOf(context.names().in(result.error())), mostChars);
      String reason = context.reasons().get(call.action().actionId());
      return "%s- %s: `%s` %s -> %s: %s%s"
          .formatted(
              reason == null ? "" : "You said: " + reason + "\n",
              call.action().actionId(),
              context.names().of(call.action().key()),
              JsonPreview.of(call.action().params(), mostChars),
              result.status().name().toLowerCase(Locale.ROOT).replace('_', ' '),
              came,
              result.stored().isPresent() ? " [kept as a whole]" : "");
    }
  }
}
