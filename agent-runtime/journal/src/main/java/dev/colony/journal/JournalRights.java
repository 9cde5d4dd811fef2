package dev.colony.journal;

import dev.colony.blackboard.Scope;
import java.util.List;
import java.util.stream.Stream;

/**
 * What a Redis user needs to read the journals of one tenant's agents, and none of another's, as
 * words of {@code ACL SETUSER}, beside the commands that the blackboard needs too. Redis 6.2 cannot
 * let it read alone.
 */
public final class JournalRights {

  private static final String ANY_SLOT = "colony:{j-*}:";
  private static final String LAYOUT_PERMISSIONS = JournalKeys.LAYOUT + ":permissions";

  private JournalRights() {}

  /**
   * @throws IllegalArgumentException if there can be no such tenant
   */
  public static List<String> of(String tenant) {
    String own = ":" + Scope.tenant(tenant).tenant() + "/*";
    return Stream.concat(
            Stream.of("e", "m", "s", "si").map(kind -> "~" + ANY_SLOT + kind + own),
            Stream.of("~" + JournalKeys.LAYOUT, "~" + LAYOUT_PERMISSIONS, "&" + LAYOUT_PERMISSIONS))
        .toList();
  }
}
