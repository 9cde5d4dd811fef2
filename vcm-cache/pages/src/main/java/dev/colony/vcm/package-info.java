/**
 * Virtual context memory: contexts far larger than one model call, cut into content-addressed pages
 * that live in the KV caches of inference replicas.
 *
 * <p>This root package is the public API: pages, groups and their ids. It depends on nothing but
 * the JDK. Paging model calls' context is the idea of Packer et al., "MemGPT" (2023); pages as
 * units of KV-cache residency follow Kwon et al., "PagedAttention" (SOSP 2023).
 */
package dev.colony.vcm;
