package dev.colony.examples.impact;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.Ref;
import dev.colony.agent.author.ActionPolicy.PolicyContext;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.Registered;
import dev.colony.examples.impact.Impact.Changed;
import dev.colony.examples.impact.Impact.Site;
import dev.colony.examples.impact.Impact.Verdict;
import dev.colony.examples.impact.ImpactPrompts.Shown;
import dev.colony.library.page.SourceCapability;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds the symbols that a question about a change names, in its words and by the model's; then
 * where they are defined, what depends on them, and has the model judge each of these places. The
 * run's input has the fields {@code question}, {@code map}, if they are known {@code symbols}, and
 * {@code judged}, false where no model is to be asked.
 */
@Registered(value = ImpactPolicy.TYPE, summary = "Says what a change would break.")
public final class ImpactPolicy extends PiecewisePolicy {

  static final String TYPE = "example.impact";

  private static final int SYMBOLS = 5;
  private static final int SITES = 40;
  private static final int SITES_AT_ONCE = 8;

  /** What looks like a name in code: quoted by backticks, called, qualified, or in mixed case. */
  private static final Pattern NAMES =
      Pattern.compile(
          "`([^`\\s]+)`|\\b([A-Za-z_$][\\w$]*(?:(?:\\.|#|::)[A-Za-z_$][\\w$]*)+)"
              + "|\\b([A-Za-z_$][\\w$]*)\\(|\\b([A-Za-z$]+[a-z0-9]+[A-Z][\\w$]*|\\w+_\\w+)\\b"
              + "|\\b([A-Z][a-z]\\w+)\\b");

  private static final Pattern NAME = Pattern.compile("[\\w$.#:()-]{2,120}");

  public ImpactPolicy(PolicyContext context) {
    super(context);
  }

  /** What a run is asked for. */
  private record Input(String question, String map, List<String> symbols, boolean judged) {
    static Input of(ActionPolicyExecutionState state) {
      JsonNode input = state.request().input();
      return new Input(
          input.path("question").asText(),
          input.path("map").asText(),
          input.path("symbols").valueStream().map(JsonNode::asText).toList(),
          input.path("judged").asBoolean(true));
    }
  }

  @Override
  protected Optional<Action> gather(ActionPolicyExecutionState state) {
    Input input = Input.of(state);
    List<String> wanted = wanted(state, input);
    List<Action> actions = new ArrayList<>();
    for (int i = 0; i < wanted.size(); i++) {
      actions.add(action("def-" + i, SourceCapability.DEFINITION, input.map(), wanted.get(i)));
    }
    Optional<Action> next = untaken(state, actions);
    if (next.isPresent()) {
      return next;
    }
    List<Action> more = new ArrayList<>();
    for (int i : defined(state, wanted)) {
      more.add(action("dep-" + i, SourceCapability.DEPENDENTS, input.map(), wanted.get(i)));
    }
    return untaken(state, more);
  }

  private static Action action(String id, String key, String map, String symbol) {
    return Action.of(id, key, Ref.verbatim(json(Map.of("symbol", symbol, "map", map))));
  }

  /** Names to look for; those that the caller gives, or else the question's and the model's. */
  private List<String> wanted(ActionPolicyExecutionState state, Input input) {
    if (!input.symbols().isEmpty()) {
      return input.symbols().stream().limit(SYMBOLS).toList();
    }
    Set<String> names = new LinkedHashSet<>();
    if (input.judged()) {
      once(state, "name", ImpactPrompts.name(input.question()))
          .ifPresent(said -> said.path("symbols").forEach(one -> names.add(one.asText().strip())));
    }
    Matcher words = NAMES.matcher(input.question());
    while (words.find()) {
      for (int group = 1; group <= words.groupCount(); group++) {
        if (words.group(group) != null) {
          names.add(words.group(group));
        }
      }
    }
    return names.stream().filter(name -> NAME.matcher(name).matches()).limit(2L * SYMBOLS).toList();
  }

  /** The positions of those names that something is defined by. */
  private List<Integer> defined(ActionPolicyExecutionState state, List<String> wanted) {
    List<Integer> defined = new ArrayList<>();
    Set<String> places = new HashSet<>();
    for (int i = 0; i < wanted.size() && defined.size() < SYMBOLS; i++) {
      JsonNode first = result(state, "def-" + i).at("/spans/0");
      if (first.isObject() && places.add(place(first))) {
        defined.add(i);
      }
    }
    return defined;
  }

  private static String place(JsonNode span) {
    return "%s:%d-%d"
        .formatted(
            span.path("file").asText(),
            span.path("firstLine").asInt(),
            span.path("lastLine").asInt());
  }

  /** All dependents, each place once, the nearest first, as many as are looked at. */
  private List<Shown> shown(ActionPolicyExecutionState state, Input input) {
    List<JsonNode> all = new ArrayList<>();
    for (int i : defined(state, wanted(state, input))) {
      result(state, "dep-" + i).path("sites").forEach(all::add);
    }
    all.sort(
        Comparator.comparingInt((JsonNode one) -> one.path("distance").asInt())
            .thenComparing(one -> one.path("test").asBoolean()));
    Set<String> places = new HashSet<>();
    List<Shown> shown = new ArrayList<>();
    for (JsonNode one : all) {
      JsonNode span = one.path("span");
      int line = one.path("line").asInt();
      if (shown.size() < SITES && places.add(span.path("file").asText() + ":" + line)) {
        String text = span.path("text").asText();
        int first = span.path("firstLine").asInt();
        shown.add(
            new Shown(
                shown.size() + 1,
                new Site(
                    span.path("file").asText(),
                    line,
                    one.path("distance").asInt(),
                    one.path("uses").asText(),
                    one.path("within").asText(),
                    one.path("test").asBoolean(),
                    text.split("\n", -1)[line - first],
                    Verdict.UNSURE,
                    ""),
                text,
                first));
      }
    }
    return shown;
  }

  @Override
  protected List<Piece> pieces(ActionPolicyExecutionState state) {
    Input input = Input.of(state);
    if (!input.judged()) {
      return List.of();
    }
    StringBuilder definitions = new StringBuilder();
    for (int i : defined(state, wanted(state, input))) {
      JsonNode span = result(state, "def-" + i).at("/spans/0");
      definitions.append("=== ").append(place(span)).append('\n');
      definitions.append(
          ImpactPrompts.numbered(span.path("text").asText(), span.path("firstLine").asInt()));
    }
    List<Shown> shown = shown(state, input);
    List<Piece> pieces = new ArrayList<>();
    for (int from = 0; from < shown.size(); from += SITES_AT_ONCE) {
      List<Shown> some = shown.subList(from, Math.min(shown.size(), from + SITES_AT_ONCE));
      pieces.add(
          new Piece(
              "judge-" + from,
              ImpactPrompts.judge(input.question(), definitions.toString(), some)));
    }
    return pieces;
  }

  @Override
  protected JsonNode composed(
      ActionPolicyExecutionState state, Map<String, JsonNode> replies, Map<String, String> unread) {
    Input input = Input.of(state);
    List<Shown> shown = shown(state, input);
    Site[] judged = shown.stream().map(Shown::site).toArray(Site[]::new);
    boolean[] said = new boolean[judged.length];
    int dropped = 0;
    for (Map.Entry<String, JsonNode> reply : replies.entrySet()) {
      int from = Integer.parseInt(reply.getKey().substring("judge-".length()));
      for (JsonNode one : reply.getValue().path("sites")) {
        int at = one.path("site").asInt() - 1;
        if (at < from || at >= Math.min(judged.length, from + SITES_AT_ONCE) || said[at]) {
          dropped++;
        } else {
          said[at] = true;
          judged[at] = judged(judged[at], one);
        }
      }
    }
    List<Site> sites = new ArrayList<>(List.of(judged));
    sites.sort(Comparator.comparing(Site::verdict).thenComparingInt(Site::distance));
    String summary =
        replies.isEmpty()
            ? ""
            : once(state, "sum", ImpactPrompts.sum(input.question(), sites))
                .map(one -> one.path("summary").asText())
                .orElse("");
    return json(report(state, input, sites, dropped, summary, unread));
  }

  private static Site judged(Site site, JsonNode said) {
    return new Site(
        site.file(),
        site.line(),
        site.distance(),
        site.uses(),
        site.within(),
        site.test(),
        site.text(),
        Verdict.valueOf(said.path("verdict").asText().toUpperCase(Locale.ROOT)),
        said.path("why").asText());
  }

  private Impact report(
      ActionPolicyExecutionState state,
      Input input,
      List<Site> sites,
      int dropped,
      String summary,
      Map<String, String> unread) {
    List<String> wanted = wanted(state, input);
    List<Changed> symbols = new ArrayList<>();
    Set<String> tests = new TreeSet<>();
    Set<String> notFollowed = new TreeSet<>();
    int found = 0;
    for (int i : defined(state, wanted)) {
      JsonNode span = result(state, "def-" + i).at("/spans/0");
      symbols.add(new Changed(wanted.get(i), span.path("kind").asText(), place(span)));
      JsonNode dependents = result(state, "dep-" + i);
      dependents.path("tests").forEach(one -> tests.add(one.asText()));
      dependents.path("notFollowed").forEach(one -> notFollowed.add(one.asText()));
      found += dependents.path("found").asInt();
    }
    return new Impact(
        input.question(),
        input.judged(),
        symbols,
        sites,
        List.copyOf(tests),
        List.copyOf(notFollowed),
        Math.max(0, found - sites.size()),
        dropped,
        summary,
        unread.values().stream().findFirst().orElse(""));
  }
}
