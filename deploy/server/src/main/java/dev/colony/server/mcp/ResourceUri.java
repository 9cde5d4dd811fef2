package dev.colony.server.mcp;

import dev.colony.blackboard.Scope;
import dev.colony.vcm.PageId;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** What the URI of a resource names. */
sealed interface ResourceUri {

  /** Templates of RFC 6570, behind the colony's own beginning. */
  String ENTRY = "board/{key}";

  String SCOPED_ENTRY = "scopes/{scope}/{key}";
  String PAGE = "agents/{agent}/pages/{page}";

  record EntryAt(Scope scope, String key) implements ResourceUri {}

  record PageOf(String agent, PageId page) implements ResourceUri {}

  /** A path or a template of the caller's colony. */
  static String of(McpCaller caller, String path) {
    return "colony://%s/%s/%s".formatted(caller.tenant(), caller.colony(), path);
  }

  static String entry(McpCaller caller, String key) {
    return of(caller, "board/" + encoded(key));
  }

  static String page(McpCaller caller, String agent, PageId page) {
    return of(caller, "agents/%s/pages/%s".formatted(encoded(agent), page));
  }

  /** Empty where it names nothing that the caller's colony could have. */
  static Optional<ResourceUri> parse(McpCaller caller, String uri) {
    String begin = of(caller, "");
    if (!uri.startsWith(begin)) {
      return Optional.empty();
    }
    try {
      List<String> parts =
          Stream.of(uri.substring(begin.length()).split("/", -1))
              .map(ResourceUri::decoded)
              .toList();
      if (parts.size() == 2 && parts.getFirst().equals("board")) {
        return Optional.of(new EntryAt(caller.scope(), parts.get(1)));
      }
      if (parts.size() == 3 && parts.getFirst().equals("scopes")) {
        Scope scope = Scope.parse(caller.scope().path() + ":" + parts.get(1));
        return narrower(caller, scope)
            ? Optional.of(new EntryAt(scope, parts.get(2)))
            : Optional.empty();
      }
      if (parts.size() == 4 && parts.getFirst().equals("agents") && parts.get(2).equals("pages")) {
        return Optional.of(new PageOf(parts.get(1), new PageId(parts.get(3))));
      }
      return Optional.empty();
    } catch (IllegalArgumentException malformed) {
      return Optional.empty();
    }
  }

  /** A scope whose words say another tenant or colony is not reached by way of this one. */
  private static boolean narrower(McpCaller caller, Scope scope) {
    return scope.tenant().equals(caller.tenant())
        && scope.colony().equals(Optional.of(caller.colony()));
  }

  private static String encoded(String part) {
    return URLEncoder.encode(part, StandardCharsets.UTF_8).replace("+", "%20");
  }

  /** A plus is a plus. */
  private static String decoded(String part) {
    return URLDecoder.decode(part.replace("+", "%2B"), StandardCharsets.UTF_8);
  }
}
