package dev.colony.server.mcp;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.EntryPage;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Scope;
import dev.colony.server.AgentsReader;
import dev.colony.server.NotFoundException;
import dev.colony.server.ShownAgent;
import dev.colony.server.ShownAgent.AgentFilter;
import dev.colony.server.mcp.McpServer.GroupPages;
import dev.colony.server.mcp.McpServer.McpCaller;
import dev.colony.vcm.PageGroupId;
import dev.colony.vcm.PageId;
import dev.colony.vcm.VirtualContextPage;
import io.modelcontextprotocol.spec.McpError;
import io.modelcontextprotocol.spec.McpSchema.ErrorCodes;
import io.modelcontextprotocol.spec.McpSchema.ListResourceTemplatesResult;
import io.modelcontextprotocol.spec.McpSchema.ListResourcesResult;
import io.modelcontextprotocol.spec.McpSchema.ReadResourceResult;
import io.modelcontextprotocol.spec.McpSchema.Resource;
import io.modelcontextprotocol.spec.McpSchema.ResourceTemplate;
import io.modelcontextprotocol.spec.McpSchema.TextResourceContents;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The resources of a colony: the entries of its part of the blackboard, and the pages of its
 * agents. Its methods block.
 */
record ColonyResources(Blackboards blackboards, AgentsReader agents, GroupPages pages) {

  private static final String JSON = "application/json";
  private static final String TEXT = "text/plain";
  private static final String ENTRIES = "entries:";
  private static final String PAGES = "pages:";

  private record Bound(ShownAgent agent, PageGroupId group) {}

  /**
   * A page of them, entries first; it may be short, even empty, and yet have a next one.
   *
   * @param cursor of the page before; empty for the first
   * @throws IllegalArgumentException if it is no cursor of ours
   */
  ListResourcesResult list(McpCaller caller, Optional<String> cursor) {
    if (cursor.filter(one -> one.startsWith(PAGES)).isPresent()) {
      return pages(caller, cursor.get().substring(PAGES.length()));
    }
    Query query = Query.all().limit(McpServer.PAGE);
    if (cursor.isPresent()) {
      if (!cursor.get().startsWith(ENTRIES)) {
        throw new IllegalArgumentException("the cursor is none that this server has given");
      }
      query = query.from(new Query.Cursor(cursor.get().substring(ENTRIES.length())));
    }
    EntryPage page =
        blackboards
            .open(caller.scope(), caller.principal().writer())
            .query(query)
            .toCompletableFuture()
            .join();
    return new ListResourcesResult(
        page.entries().stream().map(entry -> entry(caller, entry)).toList(),
        page.next().map(next -> ENTRIES + next.afterKey()).orElse(PAGES),
        null);
  }

  private static Resource entry(McpCaller caller, Entry entry) {
    return Resource.builder(ResourceUri.entry(caller, entry.key()), entry.key())
        .description(
            "Entry of the blackboard, version %d, written by %s"
                .formatted(entry.version(), entry.updatedBy()))
        .mimeType(entry.value().isTextual() ? TEXT : JSON)
        .size((long) text(entry.value()).getBytes(StandardCharsets.UTF_8).length)
        .build();
  }

  /**
   * @param place the agent and the page behind which to go on, {@code agent:index}; empty for the
   *     first agent
   */
  private ListResourcesResult pages(McpCaller caller, String place) {
    String[] parts = place.split(":", 2);
    int from = parts.length == 2 ? index(parts[1]) : 0;
    if (from > 0) {
      ShownAgent agent = agents.find(caller.agent(parts[0]));
      return pages(caller, List.of(agent), from, Optional.of(agent.id().name()));
    }
    Optional<String> after = Optional.of(parts[0]).filter(name -> !name.isEmpty());
    AgentsReader.Page<ShownAgent> page =
        agents.list(
            Optional.of(caller.tenant()),
            Optional.of(caller.colony()),
            AgentFilter.ALL,
            new AgentsReader.PageSize(McpServer.PAGE, McpServer.PAGE),
            after.map(caller::agent),
            Function.identity());
    return pages(caller, page.found(), 0, page.next().map(last -> last.name()));
  }

  /** Those of agents, until the page is full. */
  private ListResourcesResult pages(
      McpCaller caller, List<ShownAgent> some, int from, Optional<String> next) {
    List<Resource> found = new ArrayList<>();
    for (Bound bound : some.stream().flatMap(one -> bound(one).stream()).toList()) {
      String name = bound.agent().id().name();
      List<PageId> own = pages.of(bound.group());
      int end = Math.min(own.size(), from + McpServer.PAGE - found.size());
      for (PageId page : own.subList(Math.min(from, end), end)) {
        found.add(
            Resource.builder(ResourceUri.page(caller, name, page), "%s of %s".formatted(page, name))
                .description("Page that the agent " + name + " is bound to")
                .mimeType(TEXT)
                .build());
      }
      if (end < own.size()) {
        return new ListResourcesResult(found, PAGES + name + ":" + end, null);
      }
    }
    return new ListResourcesResult(found, next.map(last -> PAGES + last).orElse(null), null);
  }

  private static Optional<Bound> bound(ShownAgent agent) {
    return agent.listed().entry().blueprint().pages().map(group -> new Bound(agent, group));
  }

  private static int index(String text) {
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException none) {
      throw new IllegalArgumentException("the cursor is none that this server has given", none);
    }
  }

  ListResourceTemplatesResult templates(McpCaller caller) {
    return new ListResourceTemplatesResult(
        List.of(
            template(
                caller, ResourceUri.ENTRY, "entry", "An entry of the colony's blackboard", JSON),
            template(
                caller,
                ResourceUri.SCOPED_ENTRY,
                "entry of a scope",
                "An entry of a narrower scope: agent:NAME, session:NAME, each also with"
                    + " :namespace:NAME, or namespace:NAME",
                JSON),
            template(caller, ResourceUri.PAGE, "page", "A page that an agent is bound to", TEXT)),
        null,
        null);
  }

  private static ResourceTemplate template(
      McpCaller caller, String template, String name, String description, String type) {
    return ResourceTemplate.builder(ResourceUri.of(caller, template), name)
        .description(description)
        .mimeType(type)
        .build();
  }

  /**
   * @throws McpError if there is no such resource in the caller's colony, or it is too large
   */
  ReadResourceResult read(McpCaller caller, String uri) {
    Optional<TextResourceContents> found =
        switch (ResourceUri.parse(caller, uri).orElseThrow(() -> absent(caller, uri))) {
          case ResourceUri.EntryAt at -> entry(caller, uri, at.scope(), at.key());
          case ResourceUri.PageOf of -> page(caller, uri, of);
        };
    TextResourceContents contents = found.orElseThrow(() -> absent(caller, uri));
    int bytes = contents.text().getBytes(StandardCharsets.UTF_8).length;
    if (bytes > McpServer.OUTPUT) {
      throw ToolCalls.invalid(
          "%s has %d bytes, more than the %d that a resource gives"
              .formatted(uri, bytes, McpServer.OUTPUT));
    }
    return ReadResourceResult.builder(List.of(contents)).build();
  }

  private Optional<TextResourceContents> entry(
      McpCaller caller, String uri, Scope scope, String key) {
    return blackboards
        .open(scope, caller.principal().writer())
        .read(key)
        .toCompletableFuture()
        .join()
        .map(entry ->
            new TextResourceContents(
                uri,
                entry.value().isTextual() ? TEXT : JSON,
                text(entry.value()),
                Map.of(
                    "version", entry.version(),
                    "updatedAt", entry.updatedAt().toString(),
                    "updatedBy", entry.updatedBy())));
  }

  /** Only where the agent is bound to it: a page's id is no key to it. */
  private Optional<TextResourceContents> page(McpCaller caller, String uri, ResourceUri.PageOf of) {
    try {
      return bound(agents.find(caller.agent(of.agent())))
          .filter(bound -> pages.of(bound.group()).contains(of.page()))
          .flatMap(bound -> pages.read(of.page(), caller.tenant()))
          .map(VirtualContextPage::text)
          .map(text -> new TextResourceContents(uri, TEXT, text, null));
    } catch (NotFoundException noAgent) {
      return Optional.empty();
    }
  }

  private static String text(JsonNode value) {
    return value.isTextual() ? value.asText() : value.toString();
  }

  private static McpError absent(McpCaller caller, String uri) {
    return McpError.builder(
            caller.stateless() ? ErrorCodes.INVALID_PARAMS : ErrorCodes.RESOURCE_NOT_FOUND)
        .message("there is no resource " + uri)
        .data(Map.of("uri", uri))
        .build();
  }

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
        if (parts.size() == 4
            && parts.getFirst().equals("agents")
            && parts.get(2).equals("pages")) {
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
}
