"""Milvus: its index beside any store, on Milvus Lite."""
