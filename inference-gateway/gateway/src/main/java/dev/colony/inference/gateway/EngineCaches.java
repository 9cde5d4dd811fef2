package dev.colony.inference.gateway;

import dev.colony.inference.InferenceRequest;
import dev.colony.inference.PromptPage;
import dev.colony.inference.Usage;
import dev.colony.inference.replicas.BlockMatcher;
import dev.colony.inference.replicas.KvEvents.KvEvent;
import dev.colony.inference.replicas.PromptBlocks;
import dev.colony.inference.replicas.ResidencyView;
import dev.colony.inference.replicas.ResidentPages;
import dev.colony.vcm.schedule.ClusterSnapshot;
import dev.colony.vcm.schedule.ClusterState;
import dev.colony.vcm.schedule.Residency;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * What the caches of those replicas hold that publish events of them: the one place where these
 * arrive. Of blocks it tells the state that calls are routed by, at once; of the pages of this
 * gateway's prompts it keeps what has changed until it is {@linkplain #changed asked}. Not
 * thread-safe, but for what it gives away.
 */
final class EngineCaches {

  /** A call on its way to a replica that is followed. */
  record Sent(
      Followed replica, BlockMatcher.Sent blocks, List<PromptPage> pages, PromptBlocks prompt) {}

  /** A replica whose events are heard. */
  private static final class Followed {
    private final String id;
    private final BlockMatcher matcher;
    private final ResidentPages pages;
    private boolean told;

    Followed(String id, BlockMatcher matcher, ResidentPages pages) {
      this.id = id;
      this.matcher = matcher;
      this.pages = pages;
    }
  }

  private final ClusterState state;
  private final Map<String, Followed> followed = new LinkedHashMap<>();

  /** Replicas that were told of and are not followed any more. */
  private final Set<String> left = new LinkedHashSet<>();

  EngineCaches(ClusterState state) {
    this.state = state;
  }

  boolean follows(String replica) {
    return followed.containsKey(replica);
  }

  /** Empty where the replica's events are not heard. */
  Optional<Sent> sent(String replica, InferenceRequest request, PromptBlocks blocks) {
    return Optional.ofNullable(followed.get(replica))
        .map(one ->
            new Sent(
                one,
                one.matcher.sent(blocks.chain(), blocks.ends(), Optional.of(request.sessionName())),
                request.prompt().pages(),
                blocks));
  }

  /** Passed over where the replica has gone meanwhile. */
  void answered(Sent sent, Usage usage, OptionalLong cachedTokens) {
    Followed replica = sent.replica();
    if (followed.get(replica.id) == replica) {
      replica.pages.sent(sent.pages(), sent.prompt(), replica.matcher::holds);
      replica.matcher.answered(sent.blocks(), usage.promptTokens(), cachedTokens);
    }
  }

  void events(String replica, List<KvEvent> events) {
    Followed one = followed.computeIfAbsent(replica, this::follow);
    events.forEach(one.matcher::heard);
  }

  private Followed follow(String replica) {
    int most = state.settings().mostBlocks();
    ResidentPages pages = new ResidentPages(most);
    return new Followed(
        replica,
        new BlockMatcher(
            most,
            new BlockMatcher.Listener() {
              @Override
              public void stored(long[] chain) {
                state.stored(replica, chain);
                pages.stored(chain);
              }

              @Override
              public void removed(long block) {
                state.removed(replica, block);
                pages.removed(block);
              }

              @Override
              public void cleared() {
                state.cleared(replica);
                pages.cleared();
              }

              @Override
              public void missed() {
                state.missed(replica);
                pages.cleared();
              }
            }),
        pages);
  }

  /** A replica is gone, or another one has its name from here on. */
  void leave(String replica) {
    Followed gone = followed.remove(replica);
    if (gone != null && gone.told) {
      left.add(replica);
    }
  }

  /**
   * What has changed since this was asked last, to be told in this order: first of replicas that
   * are not followed any more, then of those that are. Costs what came and went meanwhile.
   */
  List<Changed> changed() {
    List<Changed> changed = new ArrayList<>();
    left.forEach(replica -> changed.add(new Changed(replica, Optional.empty())));
    left.clear();
    followed.forEach((replica, one) -> {
      ResidentPages.Change change = one.pages.change();
      if (!one.told || !change.none()) {
        one.told = true;
        changed.add(new Changed(replica, Optional.of(change)));
      }
    });
    return changed;
  }

  /**
   * What has changed in a replica's cache.
   *
   * @param pages empty where the replica is not followed any more
   */
  record Changed(String replica, Optional<ResidentPages.Change> pages) {

    void tell(CallObserver observer) {
      pages.ifPresentOrElse(
          change -> observer.cached(replica, change), () -> observer.cacheUnknown(replica));
    }
  }

  /**
   * What the cluster knows of the pages in caches. It counts where this gateway knows nothing of a
   * replica's cache itself, and only from a prompt's start on: a page behind one that is not
   * resident is no hit.
   */
  record TablePages(ResidencyView pages) {

    /** A replica as this gateway knows it, with the pages at a prompt's start added. */
    ClusterSnapshot.Replica added(
        ClusterSnapshot.Replica replica, InferenceRequest request, PromptBlocks blocks) {
      List<PromptPage> prompt = request.prompt().pages();
      int resident = 0;
      while (resident < prompt.size() && pages.resident(replica.id(), prompt.get(resident).id())) {
        resident++;
      }
      if (resident == 0) {
        return replica;
      }
      int covered = blocks.pageEnds()[resident - 1];
      Residency own = replica.residency();
      Residency both =
          new Residency() {
            @Override
            public boolean holds(long block) {
              return own.holds(block);
            }

            @Override
            public int prefix(long[] chain) {
              int held = own.prefix(chain);
              return held < covered && !own.knows(chain[held]) ? covered : held;
            }
          };
      return new ClusterSnapshot.Replica(
          replica.id(), replica.load(), replica.speed(), both, replica.access());
    }
  }
}
