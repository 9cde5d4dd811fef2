package dev.colony.inference.gateway;

import dev.colony.inference.InferenceRequest;
import dev.colony.inference.PromptPage;
import dev.colony.inference.routing.PromptBlocks;
import dev.colony.inference.routing.ResidencyView;
import dev.colony.vcm.schedule.ClusterSnapshot;
import dev.colony.vcm.schedule.Residency;
import java.util.List;

/**
 * What the cluster knows of the pages in caches. It counts where this gateway knows nothing of a
 * replica's cache itself, and only from a prompt's start on: a page behind one that is not resident
 * is no hit.
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
        replica.id(),
        replica.backlogSeconds(),
        replica.calls(),
        replica.speed(),
        both,
        replica.access());
  }
}
