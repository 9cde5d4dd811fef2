package dev.colony.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.server.Principal.Role;
import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageGroupId;
import dev.colony.vcm.PageId;
import dev.colony.vcm.PageMap;
import dev.colony.vcm.VirtualContextPage;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.spec.McpError;
import io.modelcontextprotocol.spec.McpSchema.ListResourcesResult;
import io.modelcontextprotocol.spec.McpSchema.ListToolsResult;
import io.modelcontextprotocol.spec.McpSchema.Resource;
import io.modelcontextprotocol.spec.McpSchema.ResourceTemplate;
import io.modelcontextprotocol.spec.McpSchema.TextResourceContents;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Entries of the blackboard and pages of agents as resources of an MCP server. */
class McpResourcesTest extends McpFixture {

  @Test
  void listsComeInPagesOfBoundedSize() {
    for (int i = 0; i < 130; i++) {
      spawn("a-%03d".formatted(i), ApiRig.BLUEPRINT);
      board.write(Write.value("k-%03d".formatted(i), i)).toCompletableFuture().join();
    }
    try (McpSyncClient client = client(Role.OPERATOR)) {
      ListToolsResult first = client.listTools(null);
      List<Tool> tools = new ArrayList<>(first.tools());
      for (String next = first.nextCursor(); next != null; ) {
        ListToolsResult page = client.listTools(next);
        tools.addAll(page.tools());
        next = page.nextCursor();
      }
      assertThat(tools).filteredOn(one -> one.name().startsWith("ask_")).hasSize(64);
      List<String> uris = new ArrayList<>();
      String next = null;
      do {
        ListResourcesResult page = client.listResources(next);
        assertThat(page.resources()).hasSizeLessThanOrEqualTo(100);
        page.resources().forEach(one -> uris.add(one.uri()));
        next = page.nextCursor();
      } while (next != null);
      assertThat(uris).hasSize(130).doesNotHaveDuplicates();
      assertThatThrownBy(() -> client.listResources("nonsense")).isInstanceOf(McpError.class);
      assertThatThrownBy(() -> client.listTools("nonsense")).isInstanceOf(McpError.class);
    }
  }

  @Test
  void entriesOfTheBlackboardAreResources() {
    board
        .write(Write.value("finding:a/b c+d%é", Map.of("severity", "high")))
        .toCompletableFuture()
        .join();
    rig.client()
        .blackboards()
        .open(Scope.colony("acme", colony).namespace("notes"), "tester")
        .write(Write.value("n", "plain text"))
        .toCompletableFuture()
        .join();
    try (McpSyncClient client = client(Role.VIEWER)) {
      Resource listed = client.listResources().resources().getFirst();
      assertThat(listed.name()).isEqualTo("finding:a/b c+d%é");
      TextResourceContents entry = read(client, listed.uri());
      assertThat(entry.text()).isEqualTo("{\"severity\":\"high\"}");
      assertThat(entry.mimeType()).isEqualTo("application/json");
      assertThat(entry.meta()).containsEntry("version", 1).containsEntry("updatedBy", "tester");
      assertThat(read(client, uri("scopes/namespace:notes/n")).text()).isEqualTo("plain text");
      assertThat(client.listResourceTemplates().resourceTemplates())
          .extracting(ResourceTemplate::uriTemplate)
          .contains(
              uri("board/{key}"), uri("scopes/{scope}/{key}"), uri("agents/{agent}/pages/{page}"));
      for (String absent :
          List.of(
              uri("board/none"),
              uri("nothing/x"),
              uri("scopes/tenant:rival/x"),
              uri("scopes/colony:other/x"),
              uri("agents/nobody/pages/" + "a".repeat(26)),
              "colony://rival/lab/board/x",
              "file:///etc/passwd")) {
        assertThatThrownBy(() -> read(client, absent)).as(absent).isInstanceOf(McpError.class);
      }
    }
  }

  @Test
  void pagesOfAnAgentAreResourcesOfThatAgentAlone() {
    PageId page = new PageId("b".repeat(26));
    PageId foreign = new PageId("c".repeat(26));
    PageGroup group = new PageGroup(new PageGroupId("d".repeat(26)), "src", List.of(page), 3);
    PageGroup other = new PageGroup(new PageGroupId("e".repeat(26)), "lib", List.of(foreign), 3);
    rig.map(
        new PageMap("m", "here", List.of(group, other), 2),
        Stream.of(page, foreign)
            .map(id -> new VirtualContextPage(id, "text of " + id, 3, List.of()))
            .toList());
    spawn("bound", ApiRig.BLUEPRINT.pages(group.id()));
    spawn("free", ApiRig.BLUEPRINT);
    try (McpSyncClient client = client(Role.VIEWER)) {
      List<Resource> listed = client.listResources().resources();
      assertThat(listed)
          .extracting(Resource::uri)
          .containsExactly(uri("agents/bound/pages/" + page));
      assertThat(read(client, listed.getFirst().uri()).text()).isEqualTo("text of " + page);
      for (String hidden :
          List.of(uri("agents/bound/pages/" + foreign), uri("agents/free/pages/" + page))) {
        assertThatThrownBy(() -> read(client, hidden)).isInstanceOf(McpError.class);
      }
    }
  }
}
