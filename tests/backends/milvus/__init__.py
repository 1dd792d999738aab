"""Milvus as the vector engine behind a store's own index, on Milvus Lite."""
