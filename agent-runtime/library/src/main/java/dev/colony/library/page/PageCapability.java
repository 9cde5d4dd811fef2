package dev.colony.library.page;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.AgentException;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.ActionPolicyIterationResult;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.CapabilityContext;
import dev.colony.agent.author.Hook;
import dev.colony.agent.author.Hook.OnError;
import dev.colony.agent.author.HookContext;
import dev.colony.agent.author.Param;
import dev.colony.agent.author.Range;
import dev.colony.agent.author.Registered;
import dev.colony.blackboard.Scope;
import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageId;
import dev.colony.vcm.PageMap;
import dev.colony.vcm.PageSegment;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.index.PageIndex;
import dev.colony.vcm.settings.IndexSettings;
import dev.colony.vcm.table.PageTable;
import dev.colony.vcm.table.PageTableSnapshot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;

/**
 * The pages of the group that an agent is bound to, or of a page map: found, listed, read and
 * pinned. The index over them is built when it is first searched, and takes about a tenth of their
 * text. A pin is a lease, see {@link PagePins}; it ends with the run that has made it.
 */
@Registered(value = "pages", summary = "Finds, lists, reads and pins pages of source text.")
public final class PageCapability extends AgentCapability {

  private static final int PASSAGE_LINES = 40;
  private static final int NEXT_IN_ORDER = 2;
  private static final int MOST_LINES = 2_000;

  /**
   * Which pages.
   *
   * @param map id of a page map, all of whose pages are meant; absent for those of the group that
   *     the agent is bound to
   */
  @JsonInclude(JsonInclude.Include.NON_ABSENT)
  public record Source(Optional<String> map) {

    /** The pages of the agent's group. */
    public static final Source BOUND = new Source(Optional.empty());
  }

  /**
   * A page as planners see it.
   *
   * @param files with their lines, as in {@code src/Main.java:1-40}
   * @param cached whether some replica has it in its cache
   */
  public record Seen(String page, int sizeTokens, List<String> files, boolean cached) {}

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
  public record Lines(String page, String text, int from, int of) {}

  private final Source source;
  private final PageSettings settings;

  /** Whether the run may have pinned pages. */
  private volatile boolean pinned;

  private List<VirtualContextPage> pages;
  private PageIndex index;

  public PageCapability(CapabilityContext context, Source source) {
    super(context);
    this.source = source;
    this.settings = PageSettings.fromConfig(ConfigFactory.load());
  }

  @ActionExecutor(
      key = "page_search",
      summary = "Finds the pages that fit a question, the best first.",
      tags = "pages")
  List<Hit> search(
      @Param("the question in plain words") String question,
      @Param(value = "how many pages at most", defaultValue = "5") @Range(min = 1, max = 50)
          Optional<Integer> limit)
      throws InterruptedException {
    List<VirtualContextPage> all = pages();
    PageTableSnapshot table = table();
    return index(all).search(question, limit.orElse(5)).stream()
        .map(hit -> new Hit(seen(page(all, hit.page()), table), hit.score()))
        .toList();
  }

  @ActionExecutor(key = "page_fetch", summary = "Reads lines of a page.", tags = "pages")
  Lines fetch(
      @Param("id of the page") String page,
      @Param(value = "the first line, from 1", defaultValue = "1")
          @Range(min = 1, max = Integer.MAX_VALUE)
          Optional<Integer> from,
      @Param(value = "how many lines", defaultValue = "200") @Range(min = 1, max = MOST_LINES)
          Optional<Integer> lines)
      throws InterruptedException {
    List<String> text = page(pages(), new PageId(page)).text().lines().toList();
    int first = Math.min(from.orElse(1), text.size() + 1);
    int last = (int) Math.min(text.size(), (long) first - 1 + lines.orElse(200));
    return new Lines(page, String.join("\n", text.subList(first - 1, last)), first, text.size());
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
          Optional<Integer> limit)
      throws InterruptedException {
    PageTableSnapshot table = table();
    return pages().stream()
        .skip(skip.orElse(0))
        .limit(limit.orElse(50))
        .map(page -> seen(page, table))
        .toList();
  }

  /** Those that hold parts of the same files first, then those next to it in the order. */
  @ActionExecutor(
      key = "page_neighbours",
      summary = "Lists the pages that belong with a page.",
      tags = "pages")
  List<Seen> neighbours(@Param("id of the page") String page) throws InterruptedException {
    List<VirtualContextPage> all = pages();
    VirtualContextPage here = page(all, new PageId(page));
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
    PageTableSnapshot table = table();
    return near.stream().map(one -> seen(one, table)).toList();
  }

  @ActionExecutor(
      key = "page_pin",
      summary =
          "Asks to have pages kept in a cache for some time, at most until this run ends; pinned"
              + " again, their time begins anew.",
      tags = "pages")
  PagePins.Pins pin(
      @Param("ids of the pages") List<String> pages,
      @Param(value = "for how long, in seconds", defaultValue = "600")
          @Range(min = 1, max = 604_800)
          Optional<Integer> seconds)
      throws InterruptedException {
    List<VirtualContextPage> all = pages();
    pages.forEach(id -> page(all, new PageId(id)));
    Duration wanted = Duration.ofSeconds(seconds.orElse(600));
    if (wanted.compareTo(settings.longestPin()) > 0) {
      throw AgentException.refused(
          "a page is pinned for %d seconds at most, not %d"
              .formatted(settings.longestPin().toSeconds(), wanted.toSeconds()));
    }
    pinned = true;
    return pins().pin(agent().id().name(), new HashSet<>(pages), wanted);
  }

  @ActionExecutor(
      key = "page_release",
      summary = "Takes back that pages are to be kept in a cache.",
      tags = "pages")
  PagePins.Pins release(@Param("ids of the pages; none for all") List<String> pages)
      throws InterruptedException {
    String self = agent().id().name();
    if (pages.isEmpty()) {
      pins().releaseAll(self);
      return new PagePins.Pins(self, List.of());
    }
    return pins().release(self, new HashSet<>(pages));
  }

  /** What the run has pinned ends with it. */
  @Hook(after = "ActionPolicy.executeIteration", onError = OnError.SUPPRESS)
  void ended(HookContext call, ActionPolicyIterationResult result) throws InterruptedException {
    if (pinned && (result.policyCompleted() || result.requiresTermination() || result.idle())) {
      pins().releaseAll(agent().id().name());
      pinned = false;
    }
  }

  private PagePins pins() {
    return new PagePins(
        agent()
            .blackboard(
                Scope.colony(agent().id().tenant(), agent().id().colony())
                    .namespace(PagePins.NAMESPACE)),
        settings);
  }

  @Override
  public JsonNode snapshot() {
    return pinned ? BooleanNode.TRUE : NullNode.instance;
  }

  @Override
  public void restore(JsonNode snapshot) {
    pinned = snapshot.asBoolean();
  }

  private static Set<String> files(VirtualContextPage page) {
    Set<String> files = new HashSet<>();
    page.segments().forEach(segment -> files.add(segment.file()));
    return files;
  }

  private static Seen seen(VirtualContextPage page, PageTableSnapshot table) {
    return new Seen(
        page.id().value(),
        page.sizeTokens(),
        page.segments().stream().map(PageCapability::place).toList(),
        !table.replicasWith(page.id()).isEmpty());
  }

  private static String place(PageSegment segment) {
    return "%s:%d-%d".formatted(segment.file(), segment.firstLine(), segment.lastLine());
  }

  private static VirtualContextPage page(List<VirtualContextPage> all, PageId id) {
    return all.stream()
        .filter(one -> one.id().equals(id))
        .findFirst()
        .orElseThrow(() -> AgentException.refused("page " + id + " is none of this agent's"));
  }

  private synchronized PageIndex index(List<VirtualContextPage> all) {
    if (index == null) {
      index = PageIndex.of(all, 1, new IndexSettings(PASSAGE_LINES));
    }
    return index;
  }

  private synchronized List<VirtualContextPage> pages() throws InterruptedException {
    if (pages == null) {
      pages = await(agent().pages().pages(ids()));
    }
    return pages;
  }

  private List<PageId> ids() throws InterruptedException {
    if (source.map().isPresent()) {
      String id = source.map().get();
      PageMap map =
          await(agent().pages().map(id))
              .orElseThrow(() -> AgentException.refused("no page map " + id + ": map it again"));
      return map.groups().stream().map(PageGroup::pages).flatMap(List::stream).toList();
    }
    return await(
            agent()
                .pages()
                .group(
                    agent()
                        .blueprint()
                        .pages()
                        .orElseThrow(() ->
                            AgentException.refused("this agent is bound to no group of pages"))))
        .map(PageGroup::pages)
        .orElse(List.of());
  }

  private PageTableSnapshot table() {
    try {
      return agent().service(PageTable.class).snapshot();
    } catch (AgentException noTable) {
      return PageTableSnapshot.EMPTY;
    }
  }

  private static <T> T await(CompletionStage<T> stage) throws InterruptedException {
    try {
      return stage.toCompletableFuture().get();
    } catch (ExecutionException failure) {
      throw new AgentException(
          "the pages cannot be read: " + failure.getCause().getMessage(), failure.getCause(), true);
    }
  }
}
