package dev.colony.vcm.store;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageGroupId;
import dev.colony.vcm.PageId;
import dev.colony.vcm.PageMap;
import dev.colony.vcm.PageSegment;
import dev.colony.vcm.VirtualContextPage;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;

/**
 * Pages and maps as JSON. A page's text is deflated and put in base64: source code becomes a
 * quarter as large, and a page's write stands in the store and in its event.
 */
final class PageJson {

  private PageJson() {}

  static ObjectNode write(VirtualContextPage page) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("deflated", deflate(page.text()));
    json.put("tokens", page.sizeTokens());
    ArrayNode segments = json.putArray("segments");
    for (PageSegment segment : page.segments()) {
      segments
          .addObject()
          .put("file", segment.file())
          .put("first", segment.firstLine())
          .put("last", segment.lastLine());
    }
    return json;
  }

  static VirtualContextPage page(PageId id, JsonNode json) {
    List<PageSegment> segments = new ArrayList<>();
    for (JsonNode segment : json.required("segments")) {
      segments.add(
          new PageSegment(
              segment.required("file").asText(),
              segment.required("first").asInt(),
              segment.required("last").asInt()));
    }
    return new VirtualContextPage(
        id, inflate(json.required("deflated")), json.required("tokens").asInt(), segments);
  }

  static ObjectNode write(PageMap map) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("source", map.source()).put("files", map.files());
    ArrayNode groups = json.putArray("groups");
    map.groups().forEach(group -> groups.add(write(group)));
    return json;
  }

  static ObjectNode write(PageGroup group) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("id", group.id().value());
    json.put("label", group.label());
    json.put("tokens", group.sizeTokens());
    ArrayNode pages = json.putArray("pages");
    group.pages().forEach(page -> pages.add(page.value()));
    return json;
  }

  static PageMap map(String id, JsonNode json) {
    List<PageGroup> groups = new ArrayList<>();
    json.required("groups").forEach(group -> groups.add(group(group)));
    return new PageMap(
        id, json.required("source").asText(), groups, json.required("files").asInt());
  }

  static PageGroup group(JsonNode json) {
    List<PageId> pages = new ArrayList<>();
    json.required("pages").forEach(page -> pages.add(new PageId(page.asText())));
    return new PageGroup(
        new PageGroupId(json.required("id").asText()),
        json.required("label").asText(),
        pages,
        json.required("tokens").asInt());
  }

  private static byte[] deflate(String text) {
    Deflater deflater = new Deflater(Deflater.BEST_SPEED);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(text.length() / 4);
    try (DeflaterOutputStream out = new DeflaterOutputStream(bytes, deflater, 8192)) {
      out.write(text.getBytes(StandardCharsets.UTF_8));
    } catch (IOException inMemory) {
      throw new UncheckedIOException(inMemory);
    } finally {
      deflater.end();
    }
    return bytes.toByteArray();
  }

  private static String inflate(JsonNode deflated) {
    try (InflaterInputStream in =
        new InflaterInputStream(new ByteArrayInputStream(deflated.binaryValue()))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException damaged) {
      throw new UncheckedIOException("a stored page cannot be read", damaged);
    }
  }
}
