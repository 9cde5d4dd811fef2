package dev.colony.library.prompt;

import dev.colony.agent.author.Registered;
import dev.colony.agent.author.TypeProvider;
import dev.colony.library.prompt.PlanningContext.RenderedStream;
import dev.colony.library.prompt.PromptSection.Part;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The layers that ship with the runtime, but for the one of the history. */
public final class StockLayers implements TypeProvider {

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

  @Override
  public void register(Types types) {
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
  static final class RoleLayer implements PromptLayer {

    @Override
    public Part part() {
      return Part.CONSTANT;
    }

    @Override
    public List<PromptSection> render(PlanningContext context, SectionRoom room) {
      return room.text("## Your role", context.role());
    }
  }

  @Registered(value = "prompt.rules", summary = "How the agent acts and refers to values.")
  static final class RulesLayer implements PromptLayer {

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
        "\nWhat is marked like [600 of 3,007 characters] is cut; `"
            + READ_ON
            + "` shows more of it.";

    @Override
    public Part part() {
      return Part.CONSTANT;
    }

    @Override
    public List<PromptSection> render(PlanningContext context, SectionRoom room) {
      boolean readsOn =
          context.groups().stream()
              .flatMap(group -> group.actions().stream())
              .anyMatch(action -> action.key().equals(READ_ON));
      return room.whole(readsOn ? RULES + CUT : RULES);
    }
  }

  @Registered(value = "prompt.goals", summary = "What is to be reached.")
  static final class GoalsLayer implements PromptLayer {

    @Override
    public Part part() {
      return Part.GIVEN;
    }

    @Override
    public List<PromptSection> render(PlanningContext context, SectionRoom room) {
      return room.bullets("## Goals", context.goals());
    }
  }

  @Registered(value = "prompt.constraints", summary = "What is to be kept to.")
  static final class ConstraintsLayer implements PromptLayer {

    @Override
    public Part part() {
      return Part.GIVEN;
    }

    @Override
    public List<PromptSection> render(PlanningContext context, SectionRoom room) {
      return room.bullets("## Constraints", context.constraints());
    }
  }

  @Registered(value = "prompt.input", summary = "What else the run was given.")
  static final class InputLayer implements PromptLayer {

    /** Of the section a field may take, whatever the others are. */
    private static final int CHARS_PER_TOKEN = 3;

    @Override
    public Part part() {
      return Part.GIVEN;
    }

    /** The fields share the section: the short ones are shown in full, the long ones are cut. */
    @Override
    public List<PromptSection> render(PlanningContext context, SectionRoom room) {
      int share = room.tokens() * CHARS_PER_TOKEN / Math.max(1, context.input().size());
      List<String> lines = new ArrayList<>();
      context
          .input()
          .properties()
          .forEach(one ->
              lines.add(
                  one.getKey()
                      + ": "
                      + JsonPreview.whole(one.getValue(), Math.max(share, room.previewChars()))));
      return room.bullets("## Input", lines);
    }
  }

  @Registered(value = "prompt.stream", summary = "The consciousness streams, each a section.")
  static final class StreamLayer implements PromptLayer {

    @Override
    public Part part() {
      return Part.GROWING;
    }

    @Override
    public List<PromptSection> render(PlanningContext context, SectionRoom room) {
      return context.streams().stream().flatMap(stream -> section(stream, room)).toList();
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
  }

  @Registered(value = "prompt.memory", summary = "What comes to mind.")
  static final class MemoryLayer implements PromptLayer {

    @Override
    public Part part() {
      return Part.CHANGING;
    }

    @Override
    public List<PromptSection> render(PlanningContext context, SectionRoom room) {
      return room.bullets("## Memory", context.memories());
    }
  }

  @Registered(value = "prompt.variables", summary = "The variables that may be referred to.")
  static final class VariablesLayer implements PromptLayer {

    @Override
    public Part part() {
      return Part.CHANGING;
    }

    @Override
    public List<PromptSection> render(PlanningContext context, SectionRoom room) {
      List<String> lines = new ArrayList<>();
      new TreeMap<>(context.variables())
          .forEach((name, value) ->
              lines.add("$" + name + ": " + JsonPreview.of(value, room.previewChars() / 4)));
      return room.bullets("## Variables", lines);
    }
  }

  @Registered(value = "prompt.background", summary = "The processes that run by themselves.")
  static final class BackgroundLayer implements PromptLayer {

    @Override
    public Part part() {
      return Part.CHANGING;
    }

    @Override
    public List<PromptSection> render(PlanningContext context, SectionRoom room) {
      List<String> lines =
          context.background().stream()
              .map(one -> "%s (%s): %s".formatted(one.name(), one.capability(), one.effect()))
              .toList();
      return room.bullets("## Running by themselves, not to be called", lines);
    }
  }

  @Registered(value = "prompt.approvals", summary = "What people approved or denied.")
  static final class ApprovalsLayer implements PromptLayer {

    @Override
    public Part part() {
      return Part.CHANGING;
    }

    @Override
    public List<PromptSection> render(PlanningContext context, SectionRoom room) {
      List<String> lines =
          context.approvals().stream()
              .map(one ->
                  "%s %s by %s%s"
                      .formatted(
                          named(context, one.request()),
                          one.granted() ? "approved" : "denied",
                          one.by(),
                          one.note().isEmpty() ? "" : ": " + one.note()))
              .map(line -> JsonPreview.cut(line, room.previewChars()))
              .toList();
      return room.bullets("## What people have said", lines);
    }

    /** A request for an action is its key and a number in hexadecimal digits. */
    private static String named(PlanningContext context, String request) {
      int end = request.lastIndexOf('-');
      return end < 0
          ? context.names().in(request)
          : context.names().in(request.substring(0, end)) + request.substring(end);
    }
  }

  @Registered(value = "prompt.news", summary = "New events that no stream shows.")
  static final class NewsLayer implements PromptLayer {

    @Override
    public Part part() {
      return Part.CHANGING;
    }

    @Override
    public List<PromptSection> render(PlanningContext context, SectionRoom room) {
      int each =
          Math.max(room.previewChars(), room.tokens() * 2 / Math.max(1, context.news().size()));
      return room.bullets(
          "## New events",
          context.news().stream().map(one -> JsonPreview.whole(one, each)).toList());
    }
  }

  @Registered(value = "prompt.left", summary = "What is left of the run's time and budget.")
  static final class LeftLayer implements PromptLayer {

    @Override
    public Part part() {
      return Part.CHANGING;
    }

    @Override
    public List<PromptSection> render(PlanningContext context, SectionRoom room) {
      return room.bullets("## What you may still use", context.left());
    }
  }

  @Registered(value = "prompt.problem", summary = "What went wrong in the previous iteration.")
  static final class ProblemLayer implements PromptLayer {

    @Override
    public Part part() {
      return Part.CHANGING;
    }

    @Override
    public List<PromptSection> render(PlanningContext context, SectionRoom room) {
      return room.text(
          "## What went wrong in the previous iteration", String.join("\n", context.problems()));
    }
  }

  @Registered(value = "prompt.ask", summary = "Asks for the next actions.")
  static final class AskLayer implements PromptLayer {

    @Override
    public Part part() {
      return Part.CHANGING;
    }

    @Override
    public List<PromptSection> render(PlanningContext context, SectionRoom room) {
      return room.whole(
          "## Your answer\nWhat do you do next? The first action of your reply is named "
              + context.nextActionId()
              + ".");
    }
  }
}
