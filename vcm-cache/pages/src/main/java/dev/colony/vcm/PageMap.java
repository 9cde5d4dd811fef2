package dev.colony.vcm;

import java.util.List;

/**
 * What a source was mapped to: its groups, which between them hold each of its pages once.
 *
 * @param id content-addressed over the groups, so that equal sources have equal maps
 * @param source where it came from, for people
 * @param files how many files were read
 */
public record PageMap(String id, String source, List<PageGroup> groups, int files) {

  public PageMap {
    groups = List.copyOf(groups);
  }

  public int pages() {
    return groups.stream().mapToInt(group -> group.pages().size()).sum();
  }

  public long sizeTokens() {
    return groups.stream().mapToLong(PageGroup::sizeTokens).sum();
  }
}
