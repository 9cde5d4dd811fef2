package dev.colony.blackboard.payload;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes payloads that nothing refers to: of what retention has let go of, and of what a writer
 * was about to store when it died. One that is found so is marked with the time, by an empty
 * payload beside it; it goes where it is found so again {@link PayloadVault#KEPT} later. So no
 * payload goes whose stub is still on its way, none that a Redis needs which has gone back to an
 * older state, and none between the copies of Redis and of the store that make a backup. Blocks;
 * remembers nothing but who owns what, so that it may end anywhere. Thread-safe.
 */
public final class PayloadSweep {

  /** How many names are usually looked at together. */
  public static final int PAGE = 1_000;

  private static final Logger LOG = LoggerFactory.getLogger(PayloadSweep.class);

  /** Of a payload: what its owner calls it, and its SHA-256. */
  private static final Pattern NAME = Pattern.compile(".*/([a-z0-9]+)-([0-9a-f]{64})");

  /** Of a mark: the name of its payload, and the second in which it was found unused. */
  private static final Pattern MARK = Pattern.compile("(.*)\\.unused-(\\d{1,12})");

  /** What the names of marks, and of what is unfinished, have behind that of their payload. */
  private static final Pattern BESIDE = Pattern.compile("\\.[^/]*$");

  private static final Pattern LAST = Pattern.compile("[^/]*$");

  /** Comes behind whatever lies beside a payload. */
  private static final String BEHIND = ".~";

  private static final int HEAD_BYTES = 4096;

  /** Owners that are remembered. */
  private static final int MOST = 50_000;

  private final PayloadVault vault;
  private final char area;
  private final ReferenceReader reader;
  private final int page;
  private final Map<String, String> owners = Collections.synchronizedMap(new Owners());

  /** Of too many those go that were asked for longest ago. */
  private static final class Owners extends LinkedHashMap<String, String> {

    private static final long serialVersionUID = 1L;

    Owners() {
      super(16, 0.75f, true);
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<String, String> eldest) {
      return size() > MOST;
    }
  }

  /**
   * A payload.
   *
   * @param item what its owner calls it
   */
  public record Item(String item, String sha256) {}

  /**
   * Which payloads of an owner are referred to.
   *
   * @param items one answer for each that was asked for
   * @param oldest what else may refer to a payload was stored no earlier; {@link Instant#MAX} where
   *     there is nothing else
   */
  public record References(List<Boolean> items, Instant oldest) {}

  /** Looks for references. */
  @FunctionalInterface
  public interface ReferenceReader {

    /** Blocks; throws what the sweep throws. */
    References read(String owner, List<Item> items);
  }

  /**
   * What was done about a page of payloads.
   *
   * @param removed how many
   * @param next where to go on; empty at the end
   */
  public record Swept(int removed, Optional<String> next) {}

  /**
   * @param area in which it looks: a letter
   * @param page how many names are looked at together, at least 3
   */
  public PayloadSweep(PayloadVault vault, char area, ReferenceReader reader, int page) {
    this.vault = vault;
    this.area = area;
    this.reader = reader;
    this.page = page;
  }

  /**
   * Looks at the next page.
   *
   * @param after where the page before ended; empty at the beginning
   */
  public Swept sweep(Optional<String> after, Instant now) {
    if (vault.off()) {
      return new Swept(0, Optional.empty());
    }
    List<String> names =
        vault.ask(1, store -> store.list(vault.root(area), after.orElse(""), page));
    TreeMap<String, List<String>> payloads = new TreeMap<>();
    for (String name : names) {
      Matcher mark = MARK.matcher(name);
      payloads
          .computeIfAbsent(mark.matches() ? mark.group(1) : name, any -> new ArrayList<>())
          .add(name);
    }
    boolean more = names.size() == page;
    if (more) {
      // The page may end between a payload and what lies beside it.
      String last = together(payloads.lastKey());
      payloads.tailMap(last, payloads.firstKey().compareTo(last) < 0).clear();
    }
    TreeMap<String, TreeMap<String, List<String>>> folders = new TreeMap<>();
    payloads.forEach((name, with) ->
        folders
            .computeIfAbsent(LAST.matcher(name).replaceFirst(""), any -> new TreeMap<>())
            .put(name, with));
    int removed = 0;
    for (Map.Entry<String, TreeMap<String, List<String>>> folder : folders.entrySet()) {
      removed += sweep(folder.getKey(), folder.getValue(), now);
    }
    return new Swept(
        removed, more ? Optional.of(together(payloads.lastKey()) + BEHIND) : Optional.empty());
  }

  /** What the names of a payload, and of what lies beside it, begin with. */
  private static String together(String name) {
    return BESIDE.matcher(name).replaceFirst("");
  }

  /**
   * @param payloads each with its marks, and with itself if it is there
   */
  private int sweep(String folder, TreeMap<String, List<String>> payloads, Instant now) {
    List<String> there =
        payloads.entrySet().stream()
            .filter(one -> one.getValue().contains(one.getKey()))
            .map(Map.Entry::getKey)
            .toList();
    Map<String, Instant> needed = needed(folder, there);
    int removed = 0;
    for (Map.Entry<String, List<String>> one : payloads.entrySet()) {
      String name = one.getKey();
      List<String> marks = one.getValue().stream().filter(mark -> !mark.equals(name)).toList();
      Instant oldest = needed.getOrDefault(name, Instant.MIN);
      if (oldest.equals(Instant.MIN)) {
        marks.forEach(vault::delete);
      } else if (marks.isEmpty()) {
        vault.change(1, store -> store.put(name + ".unused-" + now.getEpochSecond(), new byte[0]));
      } else if (marks.stream().allMatch(mark -> isOver(since(mark), oldest, now))) {
        vault.delete(name);
        marks.forEach(vault::delete);
        removed++;
      }
    }
    return removed;
  }

  private static boolean isOver(Instant since, Instant oldest, Instant now) {
    Instant end = since.plus(PayloadVault.KEPT);
    return !end.isAfter(now) && end.isBefore(oldest);
  }

  private static Instant since(String mark) {
    Matcher parts = MARK.matcher(mark);
    if (!parts.matches()) {
      throw new IllegalStateException(mark + " is no mark");
    }
    return Instant.ofEpochSecond(Long.parseLong(parts.group(2)));
  }

  /**
   * Of each of these payloads, since when something may refer to it: {@link Instant#MIN} where
   * something does, {@link Instant#MAX} where nothing can.
   */
  private Map<String, Instant> needed(String folder, List<String> names) {
    Map<String, Instant> needed = new TreeMap<>();
    Map<String, Item> items = new LinkedHashMap<>();
    for (String name : names) {
      Matcher parts = NAME.matcher(name);
      if (parts.matches()) {
        items.put(name, new Item(parts.group(1), parts.group(2)));
      } else {
        // What a writer has left unfinished is no payload.
        needed.put(name, Instant.MAX);
      }
    }
    if (items.isEmpty()) {
      return needed;
    }
    Optional<String> owner = owner(folder, items.keySet());
    if (owner.isEmpty()) {
      items.keySet().forEach(name -> needed.put(name, Instant.MIN));
      return needed;
    }
    References found = reader.read(owner.get(), List.copyOf(items.values()));
    int i = 0;
    for (String name : items.keySet()) {
      needed.put(name, found.items().get(i++) ? Instant.MIN : found.oldest());
    }
    return needed;
  }

  private Optional<String> owner(String folder, Iterable<String> names) {
    Optional<String> found = Optional.ofNullable(owners.get(folder));
    for (String name : names) {
      found =
          found.or(() ->
              vault
                  .<Optional<byte[]>>ask(HEAD_BYTES, store -> store.get(name, HEAD_BYTES))
                  .flatMap(PayloadVault::owner)
                  .filter(who -> vault.folder(area, who).equals(folder)));
    }
    if (found.isEmpty()) {
      LOG.warn("no payload in {} tells whose it is: they are damaged, and stay", folder);
    }
    found.ifPresent(who -> owners.put(folder, who));
    return found;
  }
}
