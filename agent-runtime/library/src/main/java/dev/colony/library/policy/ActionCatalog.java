package dev.colony.library.policy;

import dev.colony.agent.action.ActionDescription;
import dev.colony.agent.action.ActionDescription.ActionGroup;
import dev.colony.library.context.Salience.Relevance;
import dev.colony.library.policy.PromptSection.Part;
import dev.colony.library.policy.PromptSection.SectionRoom;
import dev.colony.library.policy.TextBudget.Fitted;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * The actions of an agent as lines of a prompt, for where there are too many for a tool each: all
 * of them where they fit, and where they do not, their groups with the names of their actions;
 * which groups are described then is up to the model. The same actions always give the same text.
 */
public final class ActionCatalog {

  private static final String HEADING = "## Your actions";
  private static final String MANY =
      "They are too many to be described here. `%s` describes those of groups, before you choose.";
  private static final String SERVING = "## Actions that may serve what you are to reach";
  private static final int SUMMARY_CHARS = 600;
  private static final int NOTE_TOKENS = 12;

  private record Line(String name, String words) {

    @Override
    public String toString() {
      return words.isEmpty() ? "- `" + name + "`" : "- `" + name + "` " + words;
    }
  }

  private record Shelf(ActionGroup group, List<Line> lines) {

    String heading() {
      return "### " + group.name() + summary();
    }

    String summary() {
      return group.summary().isBlank()
          ? ""
          : ": " + JsonPreview.cut(group.summary().strip(), SUMMARY_CHARS);
    }
  }

  private final List<Shelf> shelves;
  private final String show;

  private ActionCatalog(List<Shelf> shelves, String show) {
    this.shelves = shelves;
    this.show = show;
  }

  /**
   * The catalog of these groups.
   *
   * @param show the name of the tool that describes groups
   * @param name what the model calls an action
   * @param words that describe it, on one line
   */
  public static ActionCatalog of(
      List<ActionGroup> groups,
      String show,
      Function<ActionDescription, String> name,
      Function<ActionDescription, String> words) {
    return new ActionCatalog(
        groups.stream()
            .filter(group -> !group.actions().isEmpty())
            .map(group ->
                new Shelf(
                    group,
                    group.actions().stream()
                        .map(action -> new Line(name.apply(action), words.apply(action)))
                        .toList()))
            .toList(),
        show);
  }

  /** Whether the lines of all actions fit. */
  public boolean fits(int tokens) {
    return !whole(tokens).cut();
  }

  /** The names of the groups, in their order. */
  public List<String> groups() {
    return shelves.stream().map(one -> one.group().name()).toList();
  }

  /** The section of the system message; none without actions. */
  public List<PromptSection> section(int tokens) {
    if (shelves.isEmpty()) {
      return List.of();
    }
    Fitted whole = whole(tokens);
    Fitted fitted = whole.cut() ? grouped(tokens) : whole;
    return List.of(
        new PromptSection(
            "actions",
            Part.CONSTANT,
            fitted.text(),
            TextBudget.count(fitted.text()),
            tokens,
            whole.cut()));
  }

  private Fitted whole(int tokens) {
    List<String> lines = new ArrayList<>();
    for (Shelf shelf : shelves) {
      lines.add(shelf.heading());
      shelf.lines().forEach(line -> lines.add(line.toString()));
    }
    return new TextBudget(tokens).first(HEADING, lines);
  }

  /** Groups that have few actions leave room for the names of those that have many. */
  private Fitted grouped(int tokens) {
    List<String> headings =
        shelves.stream()
            .map(shelf ->
                "### %s (%,d actions)%s"
                    .formatted(shelf.group().name(), shelf.lines().size(), shelf.summary()))
            .toList();
    String intro = MANY.formatted(show);
    int left =
        tokens
            - TextBudget.count(HEADING + intro)
            - headings.stream().mapToInt(one -> TextBudget.count(one) + NOTE_TOKENS).sum();
    Map<Integer, String> names = new HashMap<>();
    List<Integer> smallFirst =
        IntStream.range(0, shelves.size())
            .boxed()
            .sorted(Comparator.comparingInt(i -> shelves.get(i).lines().size()))
            .toList();
    for (int at = 0; at < smallFirst.size(); at++) {
      int share = Math.max(0, left) / (smallFirst.size() - at);
      String some = names(shelves.get(smallFirst.get(at)).lines(), share);
      left -= TextBudget.count(some);
      names.put(smallFirst.get(at), some);
    }
    List<String> lines = new ArrayList<>();
    lines.add(intro);
    for (int i = 0; i < headings.size(); i++) {
      lines.add(headings.get(i) + "\n" + names.get(i));
    }
    return new TextBudget(tokens).first(HEADING, lines);
  }

  private static String names(List<Line> lines, int tokens) {
    StringBuilder names = new StringBuilder();
    int used = 0;
    for (int i = 0; i < lines.size(); i++) {
      String next = (i == 0 ? "" : ", ") + lines.get(i).name();
      used += TextBudget.count(next);
      if (used > tokens) {
        return names + "%s%,d more".formatted(i == 0 ? "" : " and ", lines.size() - i);
      }
      names.append(next);
    }
    return names.toString();
  }

  /** Those that share words with what is sought, the most relevant first, as far as they fit. */
  public List<PromptSection> serving(String sought, SectionRoom room) {
    List<Line> lines = lines(shelves);
    double[] scores = scores(sought, shelves);
    List<String> best =
        ranked(scores).stream()
            .filter(i -> scores[i] > 0)
            .map(i -> lines.get(i).toString())
            .toList();
    int fitting = 0;
    int used = TextBudget.count(SERVING);
    while (fitting < best.size()) {
      used += TextBudget.count(best.get(fitting)) + 1;
      if (used > room.tokens()) {
        break;
      }
      fitting++;
    }
    return room.text(SERVING, String.join("\n", best.subList(0, fitting)));
  }

  /** The actions of groups, the most relevant first; those that do not fit are named. */
  public String described(Set<String> groups, String sought, int tokens) {
    List<Shelf> wanted =
        shelves.stream().filter(shelf -> groups.contains(shelf.group().name())).toList();
    List<Line> lines = lines(wanted);
    List<String> shown = new ArrayList<>();
    List<Line> left = new ArrayList<>();
    int used = 0;
    for (int i : ranked(scores(sought, wanted))) {
      int size = TextBudget.count(lines.get(i).toString()) + 1;
      if (used + size > tokens * 2 / 3) {
        left.add(lines.get(i));
      } else {
        used += size;
        shown.add(lines.get(i).toString());
      }
    }
    if (!left.isEmpty()) {
      shown.add("Not described here: " + names(left, tokens - used - NOTE_TOKENS));
    }
    return String.join("\n", shown);
  }

  private static List<Line> lines(List<Shelf> shelves) {
    return shelves.stream().flatMap(shelf -> shelf.lines().stream()).toList();
  }

  private static double[] scores(String sought, List<Shelf> shelves) {
    return new Relevance(
            shelves.stream()
                .flatMap(shelf -> shelf.lines().stream().map(line -> shelf.heading() + " " + line))
                .toList())
        .to(sought);
  }

  private static List<Integer> ranked(double[] scores) {
    return IntStream.range(0, scores.length)
        .boxed()
        .sorted(Comparator.comparingDouble((Integer i) -> -scores[i]))
        .toList();
  }

  /**
   * What a model calls the actions of an agent, which is the same in all of a prompt: the names of
   * their tools where it calls actions as tools, their keys where it names them in plans. A name
   * that a model gives in another spelling, {@code .} for {@code _}, is understood where it can be
   * of one action only. Immutable.
   */
  public static final class ActionNames {

    /** Each action is called by its key. */
    public static final ActionNames KEYS = new ActionNames(Map.of(), key -> key);

    private static final int NAME_CHARS = 64;
    private static final Pattern WORD = Pattern.compile("\\w(?:[\\w.:-]*\\w)?");

    private final Map<String, String> byKey;
    private final Function<String, String> others;

    private ActionNames(Map<String, String> byKey, Function<String, String> others) {
      this.byKey = Map.copyOf(byKey);
      this.others = others;
    }

    /** These names by the keys; an action that is not among them is called by its key. */
    public static ActionNames of(Map<String, String> byKey) {
      return new ActionNames(byKey, key -> key);
    }

    /**
     * The names of their tools.
     *
     * @param groups all actions of the agent, offered or not
     * @param taken names of other tools
     */
    static ActionNames tools(List<ActionGroup> groups, Set<String> taken) {
      Map<String, String> names = new LinkedHashMap<>();
      for (ActionGroup group : groups) {
        for (ActionDescription action : group.actions()) {
          names.computeIfAbsent(action.key(), key -> unlike(key, names.values(), taken));
        }
      }
      return new ActionNames(names, ActionNames::plain);
    }

    /** A key in the characters that names of tools may have. */
    private static String plain(String key) {
      String plain = key.replaceAll("[^A-Za-z0-9_-]", "_");
      return plain.substring(0, Math.min(plain.length(), NAME_CHARS));
    }

    /** The same, unlike the names that are taken. */
    private static String unlike(String key, Collection<String> names, Set<String> taken) {
      String plain = plain(key);
      String name = plain;
      for (int i = 2; taken.contains(name) || names.contains(name); i++) {
        String end = "_" + i;
        name = plain.substring(0, Math.min(plain.length(), NAME_CHARS - end.length())) + end;
      }
      return name;
    }

    /** What the model calls an action, be it offered or not. */
    public String of(String key) {
      String name = byKey.get(key);
      return name == null ? others.apply(key) : name;
    }

    /**
     * A text of the agent's author or of the runtime, with the names of the agent's actions for
     * their keys. Not for what comes from elsewhere, which stands as it is.
     */
    public String in(String text) {
      return byKey.isEmpty()
          ? text
          : WORD.matcher(text)
              .replaceAll(
                  word -> Matcher.quoteReplacement(byKey.getOrDefault(word.group(), word.group())));
    }
  }
}
