package dev.colony.library.page;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.AgentException;
import dev.colony.agent.SessionId;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.Param;
import dev.colony.agent.author.Param.Range;
import dev.colony.agent.author.Registered;
import dev.colony.library.page.PageCapability.Lines;
import dev.colony.vcm.PageId;
import dev.colony.vcm.PageLabel;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.mapping.GroupingSettings;
import dev.colony.vcm.mapping.PageText;
import dev.colony.vcm.mapping.TokenCounter;
import dev.colony.vcm.store.PageBranch;
import dev.colony.vcm.store.PageBranch.PageTrunk;
import dev.colony.vcm.store.PageBranches;
import dev.colony.vcm.store.PageBranches.BranchResult;
import dev.colony.vcm.store.PageBranches.BranchView;
import dev.colony.vcm.store.StoreSettings;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A copy-on-write branch of a page map: what the agent writes and removes there is its session's
 * own until it is merged, all or none, or discarded. Outside a session the branch is the agent's.
 * See {@link PageBranches}.
 */
@Registered(
    value = "pages.branch",
    summary = "Changes pages of a page map in a branch, which is merged or discarded.")
public final class PageBranchCapability extends AgentCapability {

  private static final int MOST_LINES = 2_000;
  private static final int MOST_PAGES = 500;

  public PageBranchCapability(CapabilityContext context) {
    super(context);
  }

  @ActionExecutor(
      key = "branch_open",
      summary = "Opens the session's branch of a page map, or shows it where it is open.",
      tags = "pages")
  BranchView open(@Param("id of the page map") String map) {
    return done(() -> branches().open(session(), map));
  }

  @ActionExecutor(
      key = "branch_pages",
      summary = "Lists the ids of the pages as the branch has them.",
      tags = "pages")
  List<String> pages(
      @Param("id of the page map") String map,
      @Param(value = "how many to leave out at the beginning", defaultValue = "0")
          @Range(min = 0, max = Integer.MAX_VALUE)
          Optional<Integer> skip,
      @Param(value = "how many at most", defaultValue = "50") @Range(min = 1, max = MOST_PAGES)
          Optional<Integer> limit) {
    return branch(map).pages(trunk(map).base()).stream()
        .skip(skip.orElse(0))
        .limit(limit.orElse(50))
        .map(PageId::value)
        .toList();
  }

  @ActionExecutor(
      key = "branch_read",
      summary = "Reads lines of what the branch has at the address of a page.",
      tags = "pages")
  Lines read(
      @Param("id of the page map") String map,
      @Param("address: the id of the page of the map, or of the added one") String address,
      @Param(value = "the first line, from 1", defaultValue = "1")
          @Range(min = 1, max = Integer.MAX_VALUE)
          Optional<Integer> from,
      @Param(value = "how many lines", defaultValue = "200") @Range(min = 1, max = MOST_LINES)
          Optional<Integer> lines) {
    return Lines.of(
        page(
            branch(map)
                .at(AgentPages.id(address), trunk(map).base())
                .orElseThrow(() -> AgentException.refused("the branch has no page at " + address))),
        from.orElse(1),
        lines.orElse(200));
  }

  /** The page has the label of the one that it replaces; one that is added, that of the first. */
  @ActionExecutor(
      key = "branch_write",
      summary = "Writes a page in the branch, in place of another or as a new one.",
      tags = "pages")
  BranchView write(
      @Param("id of the page map") String map,
      @Param("name, as of a file") String name,
      @Param("the whole text") String text,
      @Param("address of the page that it replaces; absent to add it") Optional<String> address) {
    PageTrunk trunk = trunk(map);
    Optional<PageId> replaced = address.map(AgentPages::id);
    Optional<PageId> before =
        replaced
            .flatMap(at -> trunk.base().contains(at) ? Optional.of(at) : Optional.empty())
            .or(() -> trunk.base().stream().findFirst());
    PageLabel label = before.isPresent() ? page(before.get()).label() : PageLabel.NONE;
    VirtualContextPage page;
    try {
      Config config = ConfigFactory.load();
      page =
          PageText.page(
              name,
              text,
              label,
              TokenCounter.named(GroupingSettings.fromConfig(config).tokenizer()));
    } catch (IllegalArgumentException wrong) {
      throw AgentException.refused("the page " + name + ": " + wrong.getMessage());
    }
    PageId at = replaced.orElse(page.id());
    return done(() -> branches().write(session(), map, at, page));
  }

  @ActionExecutor(key = "branch_remove", summary = "Removes a page in the branch.", tags = "pages")
  BranchView remove(
      @Param("id of the page map") String map, @Param("address of the page") String address) {
    return done(() -> branches().remove(session(), map, AgentPages.id(address)));
  }

  /** Merging once more what is merged already changes nothing. */
  @ActionExecutor(
      key = "branch_merge",
      summary =
          "Puts the branch's changes into the page map for all; does nothing and shows the"
              + " conflicts where there are any.",
      tags = "pages")
  BranchView merge(@Param("id of the page map") String map) {
    return merged(map, () -> branches().merge(session(), map));
  }

  @ActionExecutor(
      key = "branch_settle",
      summary = "Settles all conflicts for the branch's pages or for the others, and merges.",
      tags = "pages")
  BranchView settle(
      @Param("id of the page map") String map,
      @Param("whether the branch's pages are to stand") boolean ours) {
    return merged(map, () -> branches().settleAll(session(), map, ours));
  }

  private BranchView merged(String map, Supplier<BranchResult> merging) {
    return done(() ->
        branches()
            .branch(session(), map)
            .filter(one -> one.status() == PageBranch.Status.MERGED)
            .<BranchResult>map(BranchResult.Done::new)
            .orElseGet(merging));
  }

  @ActionExecutor(
      key = "branch_discard",
      summary = "Gives the branch's changes up.",
      tags = "pages")
  BranchView discard(@Param("id of the page map") String map) {
    return done(() -> branches().discard(session(), map));
  }

  private PageBranches branches() {
    return new PageBranches(
        agent().blackboard(PageBranches.scope(agent().id().tenant())),
        agent().pages(),
        StoreSettings.fromConfig(ConfigFactory.load()));
  }

  private String session() {
    return agent().context().session().map(SessionId::value).orElse(agent().id().name());
  }

  private PageTrunk trunk(String map) {
    return AgentPages.asked(() -> branches().trunk(map))
        .orElseThrow(() -> AgentException.refused("no page map " + map + ": map its source again"));
  }

  private PageBranch branch(String map) {
    return AgentPages.asked(() -> branches().branch(session(), map))
        .orElseThrow(() -> AgentException.refused("there is no branch of " + map + ": open one"));
  }

  private VirtualContextPage page(PageId id) {
    return AgentPages.asked(() -> agent().pages().pages(List.of(id))).getFirst();
  }

  private static BranchView done(Supplier<BranchResult> call) {
    return switch (AgentPages.asked(call)) {
      case BranchResult.Done done -> done.view();
      case BranchResult.Conflicted conflicted -> conflicted.view();
      case BranchResult.Refused refused -> throw AgentException.refused(refused.reason());
    };
  }
}
