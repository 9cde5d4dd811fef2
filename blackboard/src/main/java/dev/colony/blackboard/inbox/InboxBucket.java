package dev.colony.blackboard.inbox;

import dev.colony.blackboard.Scope;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.zip.CRC32;

/** Which bucket takes the requests of a scope. */
public final class InboxBucket {

  private InboxBucket() {}

  /**
   * 0 to {@code buckets} - 1, the same in every process and version, and the same for all
   * namespaces of an agent: CRC-32 of the path without its namespace, modulo the buckets.
   */
  public static int of(Scope scope, int buckets) {
    Scope owner =
        new Scope(scope.level(), scope.tenant(), scope.colony(), scope.id(), Optional.empty());
    CRC32 crc = new CRC32();
    crc.update(owner.path().getBytes(StandardCharsets.UTF_8));
    return (int) (crc.getValue() % buckets);
  }
}
