package dev.colony.vcm.store;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageGroupId;
import dev.colony.vcm.PageId;
import dev.colony.vcm.PageLabel;
import dev.colony.vcm.PageMap;
import dev.colony.vcm.PageStore.PageFault;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.VirtualContextPage.PageSegment;
import dev.colony.vcm.mapping.PageText;
import dev.colony.vcm.schedule.Sensitivity;
import dev.colony.vcm.source.ContextPageSource;
import dev.colony.vcm.source.SourceReading.FileText;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;

/**
 * Pages and maps as JSON. A page's text is deflated and put in base64: source code becomes a
 * quarter as large, and a page's write stands in the store and in its event.
 */
final class PageJson {

  private PageJson() {}

  /** With its text. */
  static ObjectNode write(VirtualContextPage page) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("deflated", deflate(page.text()));
    return rest(json, page);
  }

  /** With the source that its text is in. */
  static ObjectNode write(VirtualContextPage page, String reference) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("source", reference);
    return rest(json, page);
  }

  private static ObjectNode rest(ObjectNode json, VirtualContextPage page) {
    json.put("tokens", page.sizeTokens());
    json.set("segments", write(page.segments()));
    if (!page.label().equals(PageLabel.NONE)) {
      write(json.putObject("label"), page.label());
    }
    return json;
  }

  private static void write(ObjectNode json, PageLabel label) {
    label.owner().ifPresent(owner -> json.put("owner", owner));
    json.put("sensitivity", label.sensitivity().word());
    ObjectNode metadata = json.putObject("metadata");
    label.metadata().forEach(metadata::put);
  }

  /** With whose the pages of a map or a group are, and how sensitive: each label once. */
  static ObjectNode labelled(ObjectNode json, Collection<PageLabel> labels) {
    ArrayNode all = json.putArray("labels");
    labels.stream()
        .map(label -> new PageLabel(label.owner(), label.sensitivity(), Map.of()))
        .distinct()
        .filter(label -> !label.equals(PageLabel.NONE))
        .forEach(label -> write(all.addObject(), label));
    return json;
  }

  /** The labels of a map's or a group's pages but for {@link PageLabel#NONE}, without metadata. */
  static List<PageLabel> labels(JsonNode json) {
    List<PageLabel> labels = new ArrayList<>();
    json.required("labels").forEach(label -> labels.add(read(label)));
    return labels;
  }

  private static PageLabel label(JsonNode page) {
    return page.has("label") ? read(page.get("label")) : PageLabel.NONE;
  }

  private static PageLabel read(JsonNode label) {
    Map<String, String> metadata = new HashMap<>();
    label
        .required("metadata")
        .properties()
        .forEach(one -> metadata.put(one.getKey(), one.getValue().asText()));
    return new PageLabel(
        Optional.ofNullable(label.get("owner")).map(JsonNode::asText),
        Sensitivity.of(label.required("sensitivity").asText()),
        metadata);
  }

  private static ArrayNode write(List<PageSegment> segments) {
    ArrayNode json = JsonNodeFactory.instance.arrayNode();
    for (PageSegment segment : segments) {
      json.addObject()
          .put("file", segment.file())
          .put("first", segment.firstLine())
          .put("last", segment.lastLine());
    }
    return json;
  }

  /**
   * A page.
   *
   * @param texts gives the text of one that is stored by reference
   */
  static VirtualContextPage page(PageId id, JsonNode json, ReferencedText texts) {
    List<PageSegment> segments = segments(json.required("segments"));
    PageLabel label = label(json);
    String text =
        json.has("source")
            ? texts.read(id, label, json.get("source").asText(), segments)
            : inflate(json.required("deflated"));
    return new VirtualContextPage(id, text, json.required("tokens").asInt(), segments, label);
  }

  private static List<PageSegment> segments(JsonNode json) {
    List<PageSegment> segments = new ArrayList<>();
    for (JsonNode segment : json) {
      segments.add(
          new PageSegment(
              segment.required("file").asText(),
              segment.required("first").asInt(),
              segment.required("last").asInt()));
    }
    return segments;
  }

  /** A group by itself, with the lines that are on its pages. */
  static ObjectNode write(PageGroup group, Map<PageId, List<PageSegment>> lines) {
    ObjectNode json = write(group);
    ObjectNode on = json.putObject("lines");
    group.pages().forEach(page -> on.set(page.value(), write(lines.getOrDefault(page, List.of()))));
    return json;
  }

  /** The lines that are on the pages of a group. */
  static Map<PageId, List<PageSegment>> lines(JsonNode group) {
    Map<PageId, List<PageSegment>> lines = new HashMap<>();
    group
        .path("lines")
        .properties()
        .forEach(page -> lines.put(new PageId(page.getKey()), segments(page.getValue())));
    return lines;
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
    json.put("kind", group.kind().name().toLowerCase(Locale.ROOT));
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
        json.required("tokens").asInt(),
        PageGroup.Kind.valueOf(json.required("kind").asText().toUpperCase(Locale.ROOT)));
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

  /** The texts of pages that are stored by reference. Blocks for as long as a source takes. */
  static final class ReferencedText {

    private final Function<String, ContextPageSource> sources;

    ReferencedText(Function<String, ContextPageSource> sources) {
      this.sources = sources;
    }

    /**
     * The text of a page.
     *
     * @throws PageFault if the source no longer gives the very text that the page is named after
     */
    String read(PageId id, PageLabel label, String reference, List<PageSegment> segments) {
      ContextPageSource source = sources.apply(reference);
      return PageText.of(id, label, segments, path -> text(id, source, reference, path))
          .orElseThrow(() -> new PageFault(id, "is not in " + reference + " any more"));
    }

    private static String text(PageId id, ContextPageSource source, String reference, String path) {
      return switch (source.file(path).orElse(null)) {
        case FileText.Text text -> text.text();
        case FileText.Left left ->
            throw new PageFault(id, "cannot be read from " + path + " of " + reference);
        case null -> throw new PageFault(id, "cannot be read from " + path + " of " + reference);
      };
    }
  }
}
