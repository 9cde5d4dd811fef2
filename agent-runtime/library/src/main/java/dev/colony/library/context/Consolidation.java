package dev.colony.library.context;

import dev.colony.agent.author.Param;
import dev.colony.agent.author.Param.Range;
import dev.colony.blackboard.value.Text;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * How memories are made fewer: those that say nearly the same become one, and of what is beyond a
 * number the least salient become short digests. What another memory names by its id, what carries
 * the tag {@value #KEEP}, and what is younger than an age stays as it is. Pure.
 *
 * @param similarity from which on two memories of a kind say the same: the words that they share in
 *     relation to all words of both, 0.3 to 1
 * @param keep how many memories there are to be at most; protected ones are never fewer
 * @param minAge before which a memory is left alone
 * @param atOnce how many memories are looked at, the oldest first; the work grows with its square
 * @param maxTextChars of a digest
 */
public record Consolidation(
    @Range(min = 0.3, max = 1) double similarity,
    @Range(min = 1, max = 100_000) int keep,
    @Param("as in PT1H") Duration minAge,
    @Range(min = 2, max = 10_000) int atOnce,
    @Range(min = 64, max = 100_000) int maxTextChars,
    Salience salience) {

  /** A memory that carries it is neither merged nor put into a digest. */
  public static final String KEEP = "keep";

  /** The kind of a memory that stands for others in short. */
  static final String DIGEST = "digest";

  /** Four fifths of the words shared, 500 memories, an hour, 1000 at once, 500 characters. */
  public static final Consolidation DEFAULT =
      new Consolidation(0.8, 500, Duration.ofHours(1), 1_000, 500, Salience.DEFAULT);

  private static final int IN_DIGEST = 10;
  private static final int MOST_TAGS = 16;
  private static final Pattern WORD = Pattern.compile("[\\p{L}\\p{Nd}]+");

  public Consolidation {
    if (!(similarity >= 0.3 && similarity <= 1)) {
      throw new IllegalArgumentException("similarity is 0.3 to 1, not " + similarity);
    }
    check("keep", keep, 1, 100_000);
    check("atOnce", atOnce, 2, 10_000);
    check("maxTextChars", maxTextChars, 64, 100_000);
    if (minAge.isNegative()) {
      throw new IllegalArgumentException("minAge is negative: " + minAge);
    }
  }

  private static void check(String name, int value, int least, int most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          name + " is " + value + ", but must be " + least + " to " + most);
    }
  }

  /**
   * One memory that takes the place of several.
   *
   * @param result may have the id of one of those that it replaces
   * @param replaced at least two
   */
  record Step(Memory result, List<Memory> replaced) {

    /** Whether it stands for them in short, rather than being one of them. */
    boolean digest() {
      return replaced.stream().noneMatch(one -> one.id().equals(result.id()));
    }
  }

  private record Known(Memory memory, Set<String> words) {}

  /**
   * What is to be done about an agent's memories.
   *
   * @param all of the agent's, the oldest first
   */
  List<Step> steps(List<Memory> all, Instant now) {
    Set<String> cited = cited(all);
    List<Memory> free =
        all.stream()
            .filter(memory -> !cited.contains(memory.id()) && !memory.tags().contains(KEEP))
            .filter(memory -> !memory.at().isAfter(now.minus(minAge)))
            .limit(atOnce)
            .toList();
    List<Step> steps = new ArrayList<>(merged(free, now));
    Set<Memory> gone =
        steps.stream().flatMap(step -> step.replaced().stream()).collect(Collectors.toSet());
    int left = all.size() - gone.size() + steps.size();
    List<Memory> rest =
        salience.rank(free.stream().filter(memory -> !gone.contains(memory)).toList(), "", now);
    steps.addAll(digests(rest, left));
    return steps;
  }

  /** The ids that stand in the texts of other memories. */
  private static Set<String> cited(List<Memory> all) {
    Set<String> ids = all.stream().map(Memory::id).collect(Collectors.toSet());
    Set<String> cited = new HashSet<>();
    for (Memory memory : all) {
      for (String token : memory.text().split("[^A-Za-z0-9._~-]+")) {
        // An id at the end of a sentence.
        String id = token.replaceAll("\\.+$", "");
        if (ids.contains(id) && !id.equals(memory.id())) {
          cited.add(id);
        }
      }
    }
    return cited;
  }

  private List<Step> merged(List<Memory> free, Instant now) {
    List<Known> left =
        new ArrayList<>(
            salience.rank(free, "", now).stream()
                .map(memory -> new Known(memory, words(memory.text())))
                .toList());
    List<Step> steps = new ArrayList<>();
    while (!left.isEmpty()) {
      Known first = left.removeFirst();
      List<Known> same = left.stream().filter(other -> alike(first, other)).toList();
      if (!same.isEmpty()) {
        left.removeAll(same);
        steps.add(merge(first.memory(), same.stream().map(Known::memory).toList()));
      }
    }
    return steps;
  }

  private boolean alike(Known one, Known other) {
    if (!one.memory().kind().equals(other.memory().kind())) {
      return false;
    }
    long shared = one.words().stream().filter(other.words()::contains).count();
    long either = one.words().size() + other.words().size() - shared;
    return either == 0
        ? one.memory().text().equals(other.memory().text())
        : shared >= similarity * either;
  }

  private static Set<String> words(String text) {
    return WORD.matcher(text.toLowerCase(Locale.ROOT))
        .results()
        .map(MatchResult::group)
        .collect(Collectors.toSet());
  }

  /** The most salient one in its own words, with the weight and the tags of all. */
  private static Step merge(Memory kept, List<Memory> others) {
    List<Memory> all = Stream.concat(Stream.of(kept), others.stream()).toList();
    return new Step(
        new Memory(
            kept.id(),
            kept.turn(),
            all.stream().map(Memory::at).min(Comparator.naturalOrder()).orElseThrow(),
            all.stream().map(Memory::accessedAt).max(Comparator.naturalOrder()).orElseThrow(),
            kept.kind(),
            kept.text(),
            tags(all),
            importance(all)),
        all);
  }

  /**
   * @param ranked what may go, the most salient first
   * @param left how many memories there are
   */
  private List<Step> digests(List<Memory> ranked, int left) {
    List<Step> steps = new ArrayList<>();
    int end = ranked.size();
    int over = left - keep;
    while (over > 0 && end > 1) {
      int size = Math.min(Math.min(IN_DIGEST, over + 1), end);
      steps.add(digest(ranked.subList(end - size, end)));
      end -= size;
      over -= size - 1;
    }
    return steps;
  }

  private Step digest(List<Memory> gone) {
    List<Memory> oldestFirst =
        gone.stream().sorted(Comparator.comparingLong(Memory::turn)).toList();
    Memory newest = oldestFirst.getLast();
    String ids = oldestFirst.stream().map(Memory::id).collect(Collectors.joining("/"));
    int share = (maxTextChars - 16) / oldestFirst.size() - 2;
    String text =
        oldestFirst.stream()
            .map(memory -> Text.line(memory.text(), Math.max(4, share)))
            .collect(Collectors.joining("; ", "In short: ", ""));
    return new Step(
        new Memory(
            UUID.nameUUIDFromBytes(ids.getBytes(StandardCharsets.UTF_8)).toString(),
            newest.turn(),
            newest.at(),
            oldestFirst.stream()
                .map(Memory::accessedAt)
                .max(Comparator.naturalOrder())
                .orElseThrow(),
            DIGEST,
            Text.line(text, maxTextChars),
            tags(oldestFirst),
            importance(oldestFirst)),
        oldestFirst);
  }

  private static List<String> tags(List<Memory> all) {
    return new TreeSet<>(all.stream().flatMap(memory -> memory.tags().stream()).toList())
        .stream().limit(MOST_TAGS).toList();
  }

  private static double importance(List<Memory> all) {
    return all.stream().mapToDouble(Memory::importance).max().orElse(0);
  }
}
