package dev.colony.library.page;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentException;
import dev.colony.agent.ModelCall;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.ActionPolicyIterationResult;
import dev.colony.agent.author.Agent.WhileWaiting;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.AgentHook.HookContext;
import dev.colony.agent.author.Hook;
import dev.colony.agent.author.Hook.OnError;
import dev.colony.agent.author.JsonValues;
import dev.colony.agent.author.Param;
import dev.colony.agent.author.Param.Range;
import dev.colony.agent.author.Registered;
import dev.colony.agent.author.TypeProvider;
import dev.colony.blackboard.Await;
import dev.colony.vcm.PageId;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.mapping.PageIndex.PageHit;
import dev.colony.vcm.table.HolderLeases;
import dev.colony.vcm.table.PageEntry;
import dev.colony.vcm.table.PageEntry.PageState;
import dev.colony.vcm.table.PageLeases;
import dev.colony.vcm.table.PageLeases.PageRequest;
import dev.colony.vcm.table.PageTable;
import dev.colony.vcm.table.PageTableSnapshot;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * The pages of the group that an agent is bound to, or of a page map, and of maps that it has
 * mapped besides: found, listed, read, locked, asked for and watched. A lock is a lease of the page
 * table, see {@link dev.colony.vcm.table.PageLeases}; what a run has locked and asked for ends with
 * it.
 */
@Registered(
    value = "pages",
    summary = "Maps, finds, lists, reads, locks, requests and watches pages of source text.")
public final class PageCapability extends AgentCapability {

  private static final int NEXT_IN_ORDER = 2;
  private static final int MOST_LINES = 2_000;
  private static final int MOST_MAPPED = 16;

  /**
   * Which pages.
   *
   * @param map id of a page map, all of whose pages are meant; absent for those of the group that
   *     the agent is bound to
   * @param preamble the system message of the agent's calls that read them: a page that is asked
   *     for is then loaded behind it, by a call of one token; absent if what is asked for is to be
   *     loaded by others
   */
  @JsonInclude(JsonInclude.Include.NON_ABSENT)
  public record Source(Optional<String> map, Optional<String> preamble) {

    public static final Source BOUND = new Source(Optional.empty(), Optional.empty());

    public static Source of(String map) {
      return new Source(Optional.of(map), Optional.empty());
    }
  }

  /**
   * A page as planners see it.
   *
   * @param files with their lines, as in {@code src/Main.java:1-40}
   * @param cached whether some replica has it in its cache
   * @param state how it stands where it stands best
   */
  public record Seen(
      String page, int sizeTokens, List<String> files, boolean cached, PageState state) {}

  /** A page that the agent has locked, and until when. */
  public record Locked(String page, Instant until) {}

  public record Placed(String page, String replica, PageState state, int readers) {

    static Placed of(PageEntry entry) {
      return new Placed(
          entry.page().value(), entry.replica().value(), entry.state(), entry.readers());
    }
  }

  /**
   * What became of a request.
   *
   * @param placed how the pages stand now, where they stand at all
   * @param faults those that are in no cache yet
   */
  public record Requested(List<Placed> placed, List<String> faults) {}

  /**
   * A page that fits a search.
   *
   * @param score higher is better; comparable within one search
   */
  public record Hit(Seen page, double score) {}

  /**
   * Lines of a page.
   *
   * @param from the first of them, counted from 1
   * @param of lines that the page has
   */
  public record Lines(String page, String text, int from, int of) {

    static Lines of(VirtualContextPage page, int from, int most) {
      List<String> text = page.text().lines().toList();
      int first = Math.min(from, text.size() + 1);
      int last = (int) Math.min(text.size(), (long) first - 1 + most);
      return new Lines(
          page.id().value(), String.join("\n", text.subList(first - 1, last)), first, text.size());
    }
  }

  private final Source source;
  private final AgentPages own;

  /** Whether the run may have leases. */
  private volatile boolean leased;

  public PageCapability(CapabilityContext context, Source source) {
    super(context);
    this.source = source;
    this.own = new AgentPages(this::agent, source);
  }

  @ActionExecutor(
      key = "page_search",
      summary = "Finds the pages that fit a question, the best first.",
      tags = "pages")
  List<Hit> search(
      @Param("the question in plain words") String question,
      @Param(value = "how many pages at most", defaultValue = "5") @Range(min = 1, max = 50)
          Optional<Integer> limit) {
    PageTableSnapshot table = own.snapshot();
    List<Hit> hits = new ArrayList<>();
    for (PageHit hit : own.index().search(question, limit.orElse(5))) {
      hits.add(new Hit(own.seen(own.page(hit.page()), table), hit.score()));
    }
    return hits;
  }

  @ActionExecutor(key = "page_fetch", summary = "Reads lines of a page.", tags = "pages")
  Lines fetch(
      @Param("id of the page") String page,
      @Param(value = "the first line, from 1", defaultValue = "1")
          @Range(min = 1, max = Integer.MAX_VALUE)
          Optional<Integer> from,
      @Param(value = "how many lines", defaultValue = "200") @Range(min = 1, max = MOST_LINES)
          Optional<Integer> lines) {
    return Lines.of(own.page(AgentPages.id(page)), from.orElse(1), lines.orElse(200));
  }

  @ActionExecutor(
      key = "page_list",
      summary = "Lists the pages, in the order in which they are read best.",
      tags = "pages")
  List<Seen> list(
      @Param(value = "how many to leave out at the beginning", defaultValue = "0")
          @Range(min = 0, max = Integer.MAX_VALUE)
          Optional<Integer> skip,
      @Param(value = "how many at most", defaultValue = "50") @Range(min = 1, max = 500)
          Optional<Integer> limit) {
    PageTableSnapshot table = own.snapshot();
    return own.all().stream()
        .skip(skip.orElse(0))
        .limit(limit.orElse(50))
        .map(page -> own.seen(page, table))
        .toList();
  }

  /** Those that hold parts of the same files first, then those next to it in the order. */
  @ActionExecutor(
      key = "page_neighbours",
      summary = "Lists the pages that belong with a page.",
      tags = "pages")
  List<Seen> neighbours(@Param("id of the page") String page) {
    List<VirtualContextPage> all = own.all();
    VirtualContextPage here = own.page(AgentPages.id(page));
    int at = all.indexOf(here);
    Set<String> files = files(here);
    Set<VirtualContextPage> near = new LinkedHashSet<>();
    all.stream().filter(one -> files(one).stream().anyMatch(files::contains)).forEach(near::add);
    List<VirtualContextPage> next =
        new ArrayList<>(
            all.subList(
                Math.max(0, at - NEXT_IN_ORDER), Math.min(all.size(), at + NEXT_IN_ORDER + 1)));
    next.sort(Comparator.comparingInt(one -> Math.abs(all.indexOf(one) - at)));
    near.addAll(next);
    near.remove(here);
    PageTableSnapshot table = own.snapshot();
    return near.stream().map(one -> own.seen(one, table)).toList();
  }

  /** Those of the maps that are mapped besides its source. */
  @ActionExecutor(
      key = "page_map",
      summary = "Has the agent work on the pages of a stored page map, too.",
      tags = "pages")
  int map(@Param("id of the page map") String map) {
    int count = SourceTrees.map(agent().pages(), map).pages();
    Set<String> maps = new TreeSet<>(own.mapped());
    maps.add(map);
    if (maps.size() > MOST_MAPPED) {
      throw AgentException.refused(
          "at most %d page maps are mapped at a time: unmap one".formatted(MOST_MAPPED));
    }
    own.mapped(maps);
    return count;
  }

  /** Locks stay, as they are of pages. */
  @ActionExecutor(
      key = "page_unmap",
      summary = "Has the agent work no more on the pages of a page map that it has mapped.",
      tags = "pages")
  void unmap(@Param("id of the page map") String map) {
    Set<String> maps = new TreeSet<>(own.mapped());
    if (!maps.remove(map)) {
      throw AgentException.refused("page map " + map + " is not mapped by page_map");
    }
    own.mapped(maps);
  }

  @ActionExecutor(
      key = "page_lock",
      summary =
          "Locks pages in the caches that have them for some time, at most until this run ends.",
      tags = "pages")
  List<Locked> lock(
      @Param("ids of the pages") List<String> pages,
      @Param(value = "for how long, in seconds", defaultValue = "600")
          @Range(min = 1, max = 604_800)
          Optional<Integer> seconds) {
    List<PageId> wanted = own.checked(pages);
    leased = true;
    return locked(
        AgentPages.granted(
            AgentPages.asked(() ->
                own.table()
                    .leases()
                    .lock(own.holder(), wanted, Duration.ofSeconds(seconds.orElse(600))))));
  }

  @ActionExecutor(
      key = "page_extend",
      summary = "Has locks of pages that this agent holds end later, counted from now.",
      tags = "pages")
  List<Locked> extend(
      @Param("ids of the pages") List<String> pages,
      @Param(value = "for how long, in seconds", defaultValue = "600")
          @Range(min = 1, max = 604_800)
          Optional<Integer> seconds) {
    List<PageId> wanted = own.checked(pages);
    return locked(
        AgentPages.granted(
            AgentPages.asked(() ->
                own.table()
                    .leases()
                    .extend(own.holder(), wanted, Duration.ofSeconds(seconds.orElse(600))))));
  }

  @ActionExecutor(
      key = "page_unlock",
      summary = "Ends locks of pages that this agent holds.",
      tags = "pages")
  List<Locked> unlock(@Param("ids of the pages; none for all") List<String> pages) {
    PageLeases leases = own.table().leases();
    List<PageId> wanted = new ArrayList<>();
    for (String id : pages) {
      wanted.add(AgentPages.id(id));
    }
    if (pages.isEmpty()) {
      wanted.addAll(AgentPages.asked(() -> leases.of(own.holder())).locks().keySet());
    }
    return locked(AgentPages.asked(() -> leases.unlock(own.holder(), wanted)));
  }

  private static List<Locked> locked(HolderLeases leases) {
    return leases.pageLocks().stream()
        .map(lock -> new Locked(lock.page().value(), lock.until()))
        .toList();
  }

  /**
   * What is in no cache is a fault until it is there, its time is over or the run ends. Where the
   * source has a preamble, pages that are in no cache are loaded before this ends.
   */
  @ActionExecutor(
      key = "page_request",
      summary = "Asks that pages be brought into a cache, before they are read.",
      tags = "pages")
  Requested request(
      @Param("ids of the pages") List<String> pages,
      @Param(value = "0 to 9; a higher one goes first", defaultValue = "5")
          @Range(min = PageRequest.LEAST_PRIORITY, max = PageRequest.MOST_PRIORITY)
          Optional<Integer> priority,
      @Param(value = "for how long, in seconds", defaultValue = "600")
          @Range(min = 1, max = 604_800)
          Optional<Integer> seconds) {
    List<PageId> wanted = own.checked(pages);
    PageLeases leases = own.table().leases();
    leased = true;
    AgentPages.granted(
        AgentPages.asked(() ->
            leases.request(
                own.holder(),
                wanted,
                priority.orElse(5),
                Duration.ofSeconds(seconds.orElse(600)))));
    List<PageId> absent = absent(wanted);
    if (source.preamble().isPresent() && !absent.isEmpty()) {
      agent()
          .inference()
          .infer(
              "page_request",
              new ModelCall(source.preamble().get(), absent, "Say yes.", Optional.empty(), 1));
    }
    return new Requested(placed(wanted), absent(wanted).stream().map(PageId::value).toList());
  }

  private List<PageId> absent(List<PageId> wanted) {
    PageTableSnapshot table = own.snapshot();
    return wanted.stream().filter(page -> table.replicasWith(page).isEmpty()).toList();
  }

  private List<Placed> placed(Collection<PageId> wanted) {
    return own.entries(wanted).stream().map(Placed::of).toList();
  }

  /** Empty where nothing has changed in that time. */
  @ActionExecutor(
      key = "page_watch",
      summary =
          "Waits until some of these pages come into a cache or have gone from all, and shows how"
              + " they stand.",
      tags = "pages")
  List<Placed> watch(
      @Param("ids of the pages") List<String> pages,
      @Param(value = "how long to wait at most, in seconds", defaultValue = "30")
          @Range(min = 1, max = 600)
          Optional<Integer> seconds) {
    List<PageId> wanted = own.checked(pages);
    CompletableFuture<Boolean> changed = new CompletableFuture<>();
    PageTable.Listening listening =
        own.table()
            .onChange(change -> {
              if (wanted.stream()
                  .anyMatch(page -> change.came().contains(page) || change.gone().contains(page))) {
                changed.complete(true);
              }
            });
    WhileWaiting waiting = agent().waiting();
    try {
      return Await.result(changed.completeOnTimeout(false, seconds.orElse(30), TimeUnit.SECONDS))
          ? placed(wanted)
          : List.of();
    } finally {
      waiting.close();
      listening.close();
    }
  }

  /** What the run has locked and asked for ends with it. */
  @Hook(after = "ActionPolicy.executeIteration", onError = OnError.SUPPRESS)
  void ended(HookContext call, ActionPolicyIterationResult result) {
    if (leased && (result.policyCompleted() || result.requiresTermination() || result.idle())) {
      AgentPages.asked(() -> own.table().leases().end(own.holder()));
      leased = false;
    }
  }

  @Override
  public JsonNode snapshot() {
    return JsonValues.toJson(new Kept(leased, own.mapped()));
  }

  @Override
  public void restore(JsonNode snapshot) {
    if (snapshot.isNull()) {
      return;
    }
    Kept kept = (Kept) JsonValues.read(snapshot, Kept.class);
    leased = kept.leased();
    own.mapped(kept.mapped());
  }

  /** What outlives the agent's being in memory. */
  record Kept(boolean leased, List<String> mapped) {}

  private static Set<String> files(VirtualContextPage page) {
    Set<String> files = new HashSet<>();
    page.segments().forEach(segment -> files.add(segment.file()));
    return files;
  }

  public static final class PageTypes implements TypeProvider {

    @Override
    public void register(Types types) {
      types.add(PageCapability.class);
      types.add(PageGraphCapability.class);
      types.add(PageBranchCapability.class);
      types.add(SourceCapability.class);
    }
  }
}
