package dev.colony.schema;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.BeanDescription;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.SerializationConfig;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.jsontype.TypeSerializer;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.Serializers;
import com.fasterxml.jackson.databind.type.CollectionType;
import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;

/**
 * Writes sets in the order of their elements' JSON text. The order of a hash set differs from JVM
 * to JVM, and a blueprint that was bound twice must be the same blueprint.
 */
final class OrderedSets extends SimpleModule {

  private static final long serialVersionUID = 1L;

  @Override
  public void setupModule(SetupContext context) {
    context.addSerializers(new OfSets());
  }

  private static final class OfSets extends Serializers.Base {

    @Override
    public JsonSerializer<?> findCollectionSerializer(
        SerializationConfig config,
        CollectionType type,
        BeanDescription bean,
        TypeSerializer typeSerializer,
        JsonSerializer<Object> elementSerializer) {
      boolean unordered =
          type.isTypeOrSubTypeOf(Set.class) && !type.isTypeOrSubTypeOf(SortedSet.class);
      return unordered ? new Ordered() : null;
    }
  }

  private static final class Ordered extends JsonSerializer<Set<?>> {

    @Override
    public void serialize(Set<?> set, JsonGenerator json, SerializerProvider provider)
        throws IOException {
      List<JsonNode> elements =
          set.stream()
              .<JsonNode>map(JsonValues.MAPPER::valueToTree)
              .sorted(Comparator.comparing(JsonNode::toString))
              .toList();
      json.writeStartArray(set, elements.size());
      for (JsonNode element : elements) {
        json.writeTree(element);
      }
      json.writeEndArray();
    }
  }
}
