package dev.colony.server.mcp;

import dev.colony.vcm.PageFault;
import dev.colony.vcm.PageGroupId;
import dev.colony.vcm.PageId;
import dev.colony.vcm.PageRefused;
import dev.colony.vcm.PageStore;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.table.PageTable;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;

/** The pages of groups that agents are bound to. Its methods block. */
public record GroupPages(PageTable table, PageStore store) {

  /** In the order of the group; none where the group is assigned to no placement unit. */
  List<PageId> of(PageGroupId group) {
    return table.snapshot().assignment(group).map(one -> one.pages()).orElse(List.of());
  }

  /** Empty where it is not stored, or the tenant may not read it. */
  Optional<VirtualContextPage> read(PageId page, String tenant) {
    try {
      return store.of(tenant).pages(List.of(page)).toCompletableFuture().join().stream()
          .findFirst();
    } catch (CompletionException failure) {
      if (failure.getCause() instanceof PageFault || failure.getCause() instanceof PageRefused) {
        return Optional.empty();
      }
      throw failure;
    }
  }
}
